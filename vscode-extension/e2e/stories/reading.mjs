/** From a machine with nothing but Python to an answer, its proof, its drift, and its reuse. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { docs, PROOF, proofIn, QUESTION, SOURCE } from '../corpus.mjs';
import { packaged } from '../packaged.mjs';

/** Milliseconds: packages are downloaded. */
const SET_UP = 600_000;
const CHANGED = PROOF.replace('Four', 'Five');

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const proof = proofIn(folder);
  const server = await story.server({ vsix: [packaged()] });
  const workbench = await story.window(server, { folder });
  const { page } = workbench;
  const ended = `Ln ${proof.line}, Col ${proof.column + proof.length} (${proof.length} selected)`;

  await story.step('A folder of documents is open', () => workbench.ready());

  await story.step('The first question offers to set up the server', async () => {
    await workbench.ask(QUESTION);
    await workbench.view.getByRole('dialog').getByText('search program').waitFor();
  });

  await story.step('It is set up once, with progress', async () => {
    await workbench.view.getByRole('button', { name: 'Set up', exact: true }).last().click();
    await workbench.notification('setting up the server').waitFor();
  });

  await story.step('The answer has come, with its citation', async () => {
    const turn = workbench.view.locator('article').last();
    await turn.locator('.cite').first().waitFor({ timeout: SET_UP });
    await workbench.open();
    await workbench.line(workbench.answer, `> ${PROOF}`).waitFor();
    await (await workbench.citation(1)).waitFor();
    await workbench.folded(workbench.answer).waitFor();
  });

  await story.step('Its evidence is in the References view', async () => {
    await workbench.command('Lens: Show Evidence');
    await workbench
      .sideBar('Lens: evidence')
      .locator('.monaco-list-row', { hasText: PROOF.slice(0, 20) })
      .waitFor();
  });

  await story.step('F4 walks through the evidence', async () => {
    await workbench.line(workbench.answer, PROOF).click();
    await page.keyboard.press('F4');
    await workbench.tab(path.basename(SOURCE)).waitFor();
    await workbench.place(`Ln ${proof.line}, Col ${proof.column}`);
    await page.keyboard.press('Control+Tab');
    await workbench.answer.waitFor();
  });

  await story.step('The citation leads to the exact words', async () => {
    await workbench.follow(1);
    await workbench.tab(path.basename(SOURCE)).waitFor();
    assert.equal(await workbench.place(ended), ended);
  });

  await story.step('The source is edited and the citation has drifted', async () => {
    await page.keyboard.type(CHANGED);
    await workbench.save();
    const problems = await workbench.problems();
    await problems.filter({ hasText: 'no longer' }).first().waitFor();
  });

  await story.step('Checked again, it is withdrawn', async () => {
    await workbench.command('Lens: Re-check Citations');
    await workbench.notification('1 withdrawn').waitFor();
  });

  await story.step('Asked again, the answer says what is true now', async () => {
    await workbench.ask(QUESTION);
    await (await workbench.turn()).locator('.card', { hasText: CHANGED }).waitFor();
  });

  await story.step('Asked once more, it is known already', async () => {
    await workbench.ask(QUESTION);
    await (await workbench.turn()).getByText('Proven before').waitFor();
  });

  // Told, not judged: while a window loads, the wall clock measures the machine. The extension host's own test judges.
  await story.step('The editor says how fast it was there', async () => {
    await workbench.command('Developer: Show Running Extensions');
    const list = page.locator('.runtime-extensions-editor');
    await list.locator('.monaco-list-row').first().hover();
    await page.mouse.wheel(0, 10_000);
    const row = list.locator('.monaco-list-row', { has: page.locator('.name', { hasText: /^Lens$/ }) });
    const told = /Activation: (\d+)ms/.exec(await row.locator('.activation-time').textContent());
    story.measure('activation, ms', Number(told?.[1]));
  });

  assert.deepEqual(workbench.strangers, [], 'the window asked no other machine for anything');
  assert.ok(!fs.existsSync(path.join(folder, '.lens')), 'nothing is written into the folder');
}
