/** From a place in a PDF to its page: our viewer opens there, with the words of the quote highlighted, and no others. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { environmentOf, packaged } from '../packaged.mjs';
import { e2e } from '../rig.mjs';
import { highlighted, letters, viewerOf } from '../viewer.mjs';

const NAME = 'ferry.pdf';
/** Of `fixtures/ferry.tex`: across lines, one of them cut inside a word, with ligatures in the print. */
const QUOTE =
  'The official certificate confirms that the keel of the Arlen ferry was laid on 4 May 1931, notwithstanding the ' +
  'contradictory classification survey, whose undated signature is insufficient evidence.';
const AGAIN = 'The crossing takes eleven minutes in calm weather.';
const PAGES = 3;
/** Pages of the large document, and one far down in it. */
const MANY = 500;
const FAR = 437;

/** Keys that open places, as links and rows do. */
function keys(server, folder) {
  const at = (name) => pathToFileURL(path.join(folder, name)).href;
  const places = {
    'ctrl+alt+1': { uri: at(NAME), page: 3, quote: QUOTE },
    'ctrl+alt+2': { uri: at(NAME), page: 2, quote: AGAIN },
    'ctrl+alt+3': { uri: at(NAME), page: 1, quote: 'Words that nobody has written into this report.' },
    'ctrl+alt+4': { uri: at('many.pdf'), page: FAR, quote: `This is the page with the number ${FAR} of the register.` },
    'ctrl+alt+5': { uri: at('sums.ipynb'), quote: 'The mill costs 40 EUR a month.' },
  };
  const bindings = Object.entries(places).map(([key, args]) => ({ key, command: 'lens.openPlace', args }));
  fs.writeFileSync(path.join(server.data, 'User/keybindings.json'), JSON.stringify(bindings, null, 2));
}

/** A PDF of many plain pages. */
function register(count) {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${count} /Kids [${Array.from({ length: count }, (_, at) => `${4 + 2 * at} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (let page = 1; page <= count; page += 1) {
    const words = `BT /F1 12 Tf 60 700 Td (This is the page with the number ${page} of the register.) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${2 * page + 3} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${words.length} >>\nstream\n${words}\nendstream`,
    );
  }
  let text = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  return `${text}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

function notebook(words) {
  const cell = { cell_type: 'markdown', metadata: {}, source: [`# Sums\n\n${words}\n`] };
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
}

export async function story(story) {
  const folder = path.join(story.dir, 'documents');
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(path.join(e2e, 'fixtures', NAME), path.join(folder, NAME));
  fs.writeFileSync(path.join(folder, 'many.pdf'), register(MANY));
  fs.writeFileSync(path.join(folder, 'sums.ipynb'), notebook('The mill costs 40 EUR a month.'));
  fs.writeFileSync(path.join(folder, 'note.md'), '# Ferries\n');
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  keys(server, folder);
  const workbench = await story.window(server, { folder });
  const { page } = workbench;
  const complaints = [];
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });

  await story.step('A folder with a PDF is open', async () => {
    await workbench.ready();
    await workbench.openFile('note.md');
  });

  await story.step('A place in a PDF opens its page with the words highlighted', async () => {
    await page.keyboard.press('Control+Alt+1');
    await workbench.tab(NAME).waitFor();
    const viewer = await viewerOf(workbench);
    assert.equal(letters(await highlighted(viewer, 3, PAGES)), letters(QUOTE));
    await viewer.locator('#told', { hasText: 'highlighted on page 3' }).waitFor();
    assert.ok(await viewer.locator('mark').first().isVisible());
  });

  await story.step('Another place of it is shown in the same viewer', async () => {
    await page.keyboard.press('Control+Alt+2');
    const viewer = await viewerOf(workbench);
    assert.equal(letters(await highlighted(viewer, 2, PAGES)), letters(AGAIN));
    assert.equal(await workbench.tab(NAME).count(), 1);
  });

  await story.step('Keys turn pages, change the size and take the highlight away', async () => {
    const viewer = await viewerOf(workbench);
    await page.keyboard.press('n');
    await viewer.locator('#page', { hasText: `3 / ${PAGES}` }).waitFor();
    await page.keyboard.press('p');
    await viewer.locator('#page', { hasText: `2 / ${PAGES}` }).waitFor();
    const width = () => viewer.locator('.sheet[data-page="2"]').evaluate((sheet) => sheet.clientWidth);
    const before = await width();
    await page.keyboard.press('+');
    assert.ok((await width()) > before);
    await page.keyboard.press('-');
    assert.equal(await width(), before);
    await page.keyboard.press('Escape');
    await viewer.locator('mark').first().waitFor({ state: 'detached' });
  });

  await story.step('Words that are not there are said not to be', async () => {
    await page.keyboard.press('Control+Alt+3');
    const viewer = await viewerOf(workbench);
    await viewer.locator('#told', { hasText: 'not found on page 1' }).waitFor();
    await viewer.locator('#page', { hasText: `1 / ${PAGES}` }).waitFor();
    assert.equal(await viewer.locator('mark').count(), 0);
  });

  await story.step('Nothing in it can be clicked, filled in or run', async () => {
    const viewer = await viewerOf(workbench);
    assert.equal(await viewer.locator('main :is(a, input, select, textarea, form, iframe, button, script)').count(), 0);
    const allowed = await viewer.locator('body').evaluate(async () => {
      try {
        await fetch('https://lens.invalid/');
        return 'fetched';
      } catch {
        return document.querySelector('meta[http-equiv]').content;
      }
    });
    assert.match(allowed, /^default-src 'none'; script-src 'nonce-/);
    complaints.splice(0);
  });

  await story.step('A far page of a large document is there at once', async () => {
    const began = Date.now();
    await page.keyboard.press('Control+Alt+4');
    await workbench.tab('many.pdf').waitFor();
    const viewer = await viewerOf(workbench);
    assert.equal(
      letters(await highlighted(viewer, FAR, MANY)),
      letters(`This is the page with the number ${FAR} of the register.`),
    );
    story.measure(`page ${FAR} of ${MANY}, ms`, Date.now() - began);
    const drawn = await viewer.locator('.sheet[data-drawn]').count();
    assert.ok(drawn < 10, `${drawn} pages are drawn`);
  });

  await story.step('The document changes on disk and is shown as it is now', async () => {
    const viewer = await viewerOf(workbench);
    fs.writeFileSync(path.join(folder, 'many.pdf'), register(MANY + 1));
    await viewer.locator('#page', { hasText: `${FAR} / ${MANY + 1}` }).waitFor();
    assert.match(await highlighted(viewer, FAR, MANY + 1), new RegExp(`number ${FAR}`));
  });

  await story.step('It is read as before when it is come back to', async () => {
    await page.keyboard.press('n');
    await (await viewerOf(workbench)).locator('#page', { hasText: `${FAR + 1} / ` }).waitFor();
    await workbench.tab('note.md', { active: false }).click();
    await workbench.editor('/note.md').waitFor();
    await workbench.tab('many.pdf', { active: false }).click();
    await (await viewerOf(workbench)).locator('#page', { hasText: `${FAR + 1} / ${MANY + 1}` }).waitFor();
  });

  await story.step('The text of a notebook opens at the exact words', async () => {
    await page.keyboard.press('Control+Alt+5');
    await workbench.tab('sums.ipynb.txt').waitFor();
    await workbench.place('(30 selected)');
  });

  assert.deepEqual(complaints, [], 'the policy of the viewer forbids what the viewer does');
  assert.deepEqual(workbench.strangers, [], 'the window asked no other machine for anything');
}
