/** Documents that are no text are asked: from the citation in the answer to the page, the paragraph and the row of a sheet. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { environmentOf, packaged } from '../packaged.mjs';
import { e2e, repository } from '../rig.mjs';
import { highlighted, letters, viewerOf } from '../viewer.mjs';

const SAMPLES = path.join(repository, 'tests/documents/samples');
const ASKED = {
  pdf: {
    file: path.join(e2e, 'fixtures/ferry.pdf'),
    question: 'When was the keel of the Arlen ferry laid?',
    quote:
      'The official certificate confirms that the keel of the Arlen ferry was laid on 4 May 1931, notwithstanding the ' +
      'contradictory classification survey, whose undated signature is insufficient evidence.',
    page: 3,
    pages: 3,
  },
  docx: {
    file: path.join(SAMPLES, 'docx/nikola-tesla.docx'),
    question: 'When did Tesla move to Budapest?',
    quote:
      'In 1881, Tesla moved to Budapest to work under Ferenc Puskás at a telegraph company, the Budapest Telephone Exchange.',
    line: 19,
  },
  xlsx: {
    file: path.join(SAMPLES, 'xlsx/planets.xlsx'),
    question: 'How many moons does Saturn have?',
    quote: 'Saturn | 58232 | 10.7 | 146 | Its mean density is less than that of water',
    line: 9,
  },
};
/** Characters of a quote that stand in one line of an answer, however narrow it is. */
const BEGINNING = 16;

/** Asks, with nothing else in sight, and waits until the answer is whole, quotes the proof and has its citation. */
async function ask(workbench, { question, quote }) {
  await workbench.command('View: Close All Editors');
  await workbench.read(question);
  await workbench.line(workbench.answer, quote.slice(0, BEGINNING)).waitFor();
  await (await workbench.citation(1)).waitFor();
  await workbench.folded(workbench.answer).waitFor();
  // Long lines are wrapped: what is shown is compared as one text.
  const shown = (await workbench.answer.locator('.view-line').allTextContents()).join('');
  assert.ok(letters(shown).includes(letters(quote)), `the answer does not quote ${quote}: ${shown}`);
}

/** Fails unless a page is shown with the words of the quote, and no others, highlighted where they can be seen. */
async function onPage(workbench, { file, quote, page, pages }) {
  await workbench.tab(path.basename(file)).waitFor();
  const viewer = await viewerOf(workbench);
  assert.equal(letters(await highlighted(viewer, page, pages)), letters(quote));
  const mark = viewer.locator('mark').first();
  const inSight = await mark.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= document.documentElement.clientHeight;
  });
  assert.ok(inSight, 'the highlighted words lie outside of what is shown');
  return viewer;
}

/** Fails unless the text of a document is shown, read-only, with exactly the words of the quote selected. */
async function onText(workbench, { file, quote, line }) {
  const { page } = workbench;
  const name = `${path.basename(file)}.txt`;
  await workbench.tab(name).waitFor();
  await workbench.place(`(${quote.length} selected)`);
  assert.match(await workbench.place(`Ln ${line}, `), /^Ln \d+, Col \d+ \(\d+ selected\)$/);
  await page.keyboard.press('Control+C');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), quote);
  await page.keyboard.type('x');
  await page.getByText('Cannot edit in read-only editor').first().waitFor();
  assert.equal(await workbench.tab(name).and(page.locator('.dirty')).count(), 0);
}

export async function story(story) {
  const folder = path.join(story.dir, 'documents');
  fs.mkdirSync(folder, { recursive: true });
  for (const { file } of Object.values(ASKED)) fs.copyFileSync(file, path.join(folder, path.basename(file)));
  fs.writeFileSync(path.join(folder, 'note.md'), '# To be looked up\n\nThe age of the ferry.\n');
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });
  const { page } = workbench;
  const { pdf, docx, xlsx } = ASKED;

  await story.step('A folder with a PDF, a DOCX and an XLSX is open', () => workbench.ready());

  await story.step('The answer quotes the PDF', () => ask(workbench, pdf));

  await story.step('The citation leads to the page with the words highlighted', async () => {
    await workbench.follow(1);
    await onPage(workbench, pdf);
    assert.equal(await workbench.tab('ferry.pdf.txt', { active: false }).count(), 0, 'its text is opened, too');
  });

  await story.step('F12 leads there, too', async () => {
    await workbench.command('View: Close Editor');
    // The cursor stands in the citation that was clicked, and the menu of an answer is there: keys mean the answer.
    await workbench.place(/Ln \d+, Col \d+$/);
    await page.locator('.editor-actions .action-label[aria-label^="Ask a Follow-up Question"]').waitFor();
    await page.keyboard.press('F12');
    await onPage(workbench, pdf);
  });

  await story.step('Another page is turned to', async () => {
    await page.keyboard.press('Escape');
    const viewer = await viewerOf(workbench);
    await viewer.locator('mark').first().waitFor({ state: 'detached' });
    await page.keyboard.press('p');
    await viewer.locator('#page', { hasText: `${pdf.page - 1} / ${pdf.pages}` }).waitFor();
  });

  await story.step('The row of the References view leads to the same words', async () => {
    await workbench.command('Lens: Show Evidence');
    const row = workbench.sideBar('Lens: evidence').locator('.monaco-list-row', { hasText: pdf.quote.slice(0, 20) });
    await row.click();
    await onPage(workbench, pdf);
  });

  await story.step('The answer quotes the DOCX', () => ask(workbench, docx));

  await story.step('Its citation leads to the exact words of the text', async () => {
    await workbench.follow(1);
    await onText(workbench, docx);
  });

  await story.step('The answer quotes the XLSX', () => ask(workbench, xlsx));

  await story.step('Its citation leads to the exact row', async () => {
    await workbench.follow(1);
    await onText(workbench, xlsx);
  });

  assert.deepEqual(workbench.strangers, [], 'the window asked no other machine for anything');
}
