/** Evidence as you type: the passages change with the words, the best one is previewed, and Enter stands on it. */
import path from 'node:path';

import { docs, PROOF, SOURCE } from '../corpus.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });
  const { page } = workbench;
  const best = workbench.rows.filter({ hasText: SOURCE }).first();

  await story.step('A folder of documents is open', () => workbench.ready());

  await story.step('Passages come while one types', async () => {
    await workbench.command('Lens: Search Evidence…');
    await workbench.quickInput
      .getByPlaceholder('Find passages as you type')
      .pressSequentially('questions run at a time');
    await best.waitFor();
  });

  await story.step('The chosen one is where the cursor goes', async () => {
    await best.click();
    await workbench.quickInput.waitFor({ state: 'hidden' });
    await workbench.tab(path.basename(SOURCE)).waitFor();
    await page.locator('#status\\.editor\\.selection', { hasText: 'selected' }).waitFor();
    await workbench.line(workbench.editor(SOURCE), PROOF).waitFor();
  });

  await story.step("The editor's own picker of symbols shows them, best first", async () => {
    const input = workbench.quickInput.locator('input.input');
    await page.keyboard.press('Control+T');
    await input.waitFor();
    await input.pressSequentially('questions_run_at_a_time', { delay: 30 });
    await workbench.rows.filter({ hasText: 'questions_run_at_a_time 01' }).filter({ hasText: SOURCE }).waitFor();
    await page.keyboard.press('Enter');
    await workbench.quickInput.waitFor({ state: 'hidden' });
    await workbench.tab(path.basename(SOURCE)).waitFor();
    await workbench.line(workbench.editor(SOURCE), PROOF).waitFor();
  });
}
