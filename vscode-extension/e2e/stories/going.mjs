/** Going on from an answer: in one folder, in another session, in a note of the workspace, and without the References view. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { docs, PROOF, QUESTION, SOURCE } from '../corpus.mjs';
import { environmentOf, packaged } from '../packaged.mjs';
import { extensionsBut } from '../rig.mjs';

const ANSWERS = 'answers-of-lens';
const FURTHER = 'What happens to a question that is cancelled?';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });

  await story.step('A folder of the explorer is asked', async () => {
    await workbench.ready();
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'service' });
    await workbench.choose(row, 'Ask About This Folder…');
    await workbench.view.locator('option', { hasText: 'service' }).waitFor({ state: 'attached' });
  });

  await story.step('It is answered from that folder, and its document is read from the heading on', async () => {
    await workbench.asks(QUESTION);
    await workbench.open();
    await workbench.line(workbench.answer, `> ${PROOF}`).waitFor();
    await workbench.folded(workbench.answer).waitFor();
    await workbench.line(workbench.answer, 'lens: answer/').waitFor({ state: 'detached' });
  });

  await story.step('The proof is marked in its source', async () => {
    await workbench.follow(1);
    await workbench.tab(path.basename(SOURCE)).waitFor();
    await workbench.marked(workbench.editor(SOURCE)).waitFor();
    await workbench.page.keyboard.press('ArrowRight'); // the selection would hide the mark
  });

  await story.step('The marks are switched off', async () => {
    await workbench.command('Lens: Toggle Marks on Cited Passages');
    await workbench.marked(workbench.editor(SOURCE)).waitFor({ state: 'detached' });
    await workbench.command('Lens: Toggle Marks on Cited Passages');
    await workbench.marked(workbench.editor(SOURCE)).waitFor();
  });

  await story.step('In another session the conversation is there', async () => {
    await workbench.page.reload();
    await workbench.ready();
    await workbench.command('View: Show Lens');
    await workbench.view.getByRole('button', { name: 'Show threads and views' }).click();
    await workbench.view.locator('.threads a', { hasText: QUESTION.slice(0, 20) }).click();
    await workbench.view.locator('.card', { hasText: PROOF }).first().waitFor();
  });

  await story.step('It goes on from there', async () => {
    await workbench.asks(FURTHER);
    await workbench.turn();
    assert.equal(await workbench.view.locator('article').count(), 2);
  });

  await story.step('Answers are kept in the workspace', async () => {
    await workbench.set({ ...settings, 'lens.answersFolder': ANSWERS });
    await workbench.ask('How many questions wait at most?');
    await (await workbench.turn()).getByRole('button', { name: 'Open as document' }).click();
    const kept = workbench.page.locator(`.monaco-editor[data-uri^="vscode-remote:"][data-uri*="/${ANSWERS}/"]`);
    await workbench.folded(kept).waitFor();
    assert.equal(fs.readdirSync(path.join(folder, ANSWERS)).length, 1);
  });

  await story.step('Without the References view the evidence is peeked at', async () => {
    const without = await story.server({
      name: 'without-references',
      vsix: [packaged()],
      settings,
      options: ['--builtin-extensions-dir', extensionsBut('references-view', path.join(story.dir, 'extensions'))],
    });
    const bare = await story.window(without, { folder });
    await bare.ready();
    await bare.read(QUESTION);
    await bare.folded(bare.answer).waitFor();
    await bare.command('Lens: Show Evidence');
    await bare.line(bare.page.locator('.peekview-widget'), PROOF).waitFor();
  });
}
