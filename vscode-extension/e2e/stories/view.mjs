/** The view in the side bar: a question, its answer, one click to the words that prove it; by keyboard, in every theme. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { docs, PROOF, proofIn, QUESTION, SOURCE } from '../corpus.mjs';
import { environmentOf, packaged } from '../packaged.mjs';
import { rig } from '../rig.mjs';

const AXE = createRequire(path.join(rig, 'package.json')).resolve('axe-core/axe.min.js');
/** Themes as settings name them, and the kind that a page is then told it is shown in. */
const THEMES = {
  'Light Modern': 'vscode-light',
  'Dark Modern': 'vscode-dark',
  'Default High Contrast': 'vscode-high-contrast',
  'Default High Contrast Light': 'vscode-high-contrast-light',
};
/** Milliseconds from the page's beginning until it can be used; told, not judged, on a busy machine. */
const INTERACTIVE = 'lens-interactive';

/** The frame that the view's page is in. */
async function frameOf(workbench) {
  const body = await workbench.view.locator('body').elementHandle();
  return body.ownerFrame();
}

/** The faults that axe-core calls serious or critical. */
async function faults(workbench) {
  const frame = await frameOf(workbench);
  await frame.evaluate(readFileSync(AXE, 'utf8'));
  const found = await frame.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, html: nodes.slice(0, 3).map((node) => [node.html, node.failureSummary]) }));
}

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const proof = proofIn(folder);
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });
  const { page } = workbench;
  const { view } = workbench;
  const selected = `Ln ${proof.line}, Col ${proof.column + proof.length} (${proof.length} selected)`;

  await story.step('A command opens the view with its question box', async () => {
    await workbench.ready();
    await workbench.command('Lens: Ask a Question…');
    await view.locator('.standing-offline').waitFor();
    const frame = await frameOf(workbench);
    const took = await frame.evaluate((name) => performance.getEntriesByName(name)[0].startTime, INTERACTIVE);
    story.measure('view interactive, ms', Math.round(took));
  });

  await story.step('The answer is read in the view', async () => {
    await workbench.asks(QUESTION);
    const turn = await workbench.turn();
    await turn.locator('.need-covered').waitFor();
    await turn.locator('.card', { hasText: PROOF }).waitFor();
    await turn.locator('.state-verified', { hasText: 'quote intact' }).first().waitFor();
  });

  await story.step('A citation shows its passage in context', async () => {
    await view.locator('.cite').first().hover();
    await view.locator('.popover .quote', { hasText: PROOF }).waitFor();
    await view.locator('.popover .context').first().waitFor();
  });

  await story.step('One click leads to the words, and the answer stays', async () => {
    await view.locator('.cite').first().click();
    await workbench.tab(path.basename(SOURCE)).waitFor();
    assert.equal(await workbench.place(selected), selected);
    await view.locator('.card.here').waitFor();
  });

  await story.step('A source that is open beside an answer is used, not opened again', async () => {
    await workbench.open();
    await view.locator('.card-open').first().click();
    await workbench.line(workbench.editor(SOURCE), PROOF.slice(0, 20)).waitFor();
    assert.equal(await workbench.tab(path.basename(SOURCE), { active: false }).count(), 1);
    assert.equal(await workbench.answer.count(), 1, 'the answer is not covered');
    await workbench.command('View: Close All Editors');
  });

  await story.step('With keys alone: asked, answered, and the words are shown', async () => {
    await page.keyboard.press('Control+K');
    await page.keyboard.press('q');
    await view.locator('#question:focus').waitFor();
    await page.keyboard.type('How many questions run at a time, and how many of them wait?');
    await page.keyboard.press('Enter');
    const turn = await workbench.turn();
    await turn.locator('.cite').first().waitFor();
    await page.keyboard.press('F4');
    await workbench.tab(path.basename(SOURCE)).waitFor();
    await workbench.place('selected');
    await view.locator('.card.here').waitFor();
  });

  for (const [theme, kind] of Object.entries(THEMES)) {
    await story.step(`Nothing keeps anybody out: ${theme}`, async () => {
      await workbench.set({ ...settings, 'workbench.colorTheme': theme });
      await view.locator(`body[data-vscode-theme-kind="${kind}"] .cite`).first().waitFor();
      assert.deepEqual(await faults(workbench), []);
    });
  }

  await story.step('In a narrow window it is read as well', async () => {
    await page.setViewportSize({ width: 640, height: 700 });
    const frame = await frameOf(workbench);
    assert.ok(await frame.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  });
  await page.setViewportSize({ width: 1400, height: 900 });

  await story.step('A setting that is wrong keeps nobody from an answer', async () => {
    await workbench.set({ ...settings, 'lens.model.baseUrl': 'https://', 'lens.model.name': 'story' });
    await view.locator('.standing-unreachable').waitFor();
    await workbench.ask(QUESTION);
    const turn = await workbench.turn();
    await turn.getByText('Answered without the model').waitFor();
    await turn.locator('.card', { hasText: PROOF }).waitFor();
  });

  await story.step('A setting that is mended asks nothing by itself', async () => {
    await workbench.set(settings);
    await view.locator('.standing-offline').waitFor();
    assert.equal(await view.locator('article').count(), 1);
  });

  await story.step('An answer whose file was deleted is still read, and says so when it is opened', async () => {
    const stores = path.join(server.dir, 'home/.local/share/lens-lsp');
    for (const id of readdirSync(stores)) rmSync(path.join(stores, id, 'answers'), { recursive: true });
    await (await workbench.turn()).getByRole('button', { name: 'Open as document' }).click();
    await workbench.notification('The file of this answer was deleted').waitFor();
    await view.locator('.card', { hasText: PROOF }).last().waitFor();
  });

  await story.step('Asked again, it is written anew', async () => {
    await workbench.ask(QUESTION);
    await workbench.open();
    await workbench.line(workbench.answer, `> ${PROOF.slice(0, 20)}`).waitFor();
  });

  assert.deepEqual(workbench.strangers, [], 'the window asked no other machine for anything');
}
