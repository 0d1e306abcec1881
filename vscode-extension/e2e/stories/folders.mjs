/** A workspace of two folders: both are searched, or the one that is chosen. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { docs, PROOF, QUESTION } from '../corpus.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

export async function story(story) {
  docs(path.join(story.dir, 'guides'), 'guides');
  docs(path.join(story.dir, 'background'), 'service');
  const workspace = path.join(story.dir, 'two.code-workspace');
  fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'guides' }, { path: 'background' }] }));
  const server = await story.server({
    vsix: [packaged()],
    settings: { 'lens.interpreter': environmentOf(packaged()) },
  });
  const workbench = await story.window(server, { workspace });

  await story.step('Two folders are open', async () => {
    await workbench.ready();
    await workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'background' }).waitFor();
  });

  await story.step('A question is answered from the second', async () => {
    await workbench.ask(QUESTION);
    await (await workbench.turn()).locator('.card', { hasText: PROOF }).waitFor();
  });

  await story.step('The scope offers each folder', async () => {
    await workbench.command('Lens: Ask in…');
    await workbench.rows.filter({ hasText: 'guides' }).first().waitFor();
  });

  await story.step('Asked of the first alone, the second proves nothing', async () => {
    await workbench.pick('guides');
    await workbench.view.locator('option[value=chosen]', { hasText: 'guides' }).waitFor({ state: 'attached' });
    await workbench.asks(QUESTION);
    const turn = await workbench.turn();
    await turn.getByText('No passage states this').waitFor();
    assert.equal(await turn.locator('.need-covered, .card:has-text("sixty-four wait")').count(), 0);
  });

  await story.step('A choice that is given up changes nothing', async () => {
    const where = workbench.view.locator('select:has(option[value=chosen])');
    await where.selectOption('choose');
    await workbench.rows.filter({ hasText: 'Choose folders…' }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await workbench.rows.first().waitFor({ state: 'hidden' });
    await workbench.asks(QUESTION);
    await (await workbench.turn()).getByText('No passage states this').waitFor();
    assert.equal(await where.locator('option:checked').innerText(), 'guides');
  });
}
