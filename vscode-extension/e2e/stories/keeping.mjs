/** What becomes of an answer: it is kept on top, taken along, put into a note, called wrong and deleted, and outlives its view. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { docs, PROOF, proofIn, QUESTION, SOURCE } from '../corpus.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

const LATER = 'How many seats has the reading room?';
const LATER_PROOF = 'The room has forty seats';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });
  const { page, view } = workbench;
  const act = async (name) => (await workbench.turn()).getByRole('button', { name }).click();

  await story.step('Of two threads the older one is kept on top', async () => {
    await workbench.ready();
    await workbench.ask(QUESTION);
    await (await workbench.turn()).locator('.need-covered').waitFor();
    await workbench.ask(LATER);
    await (await workbench.turn()).locator('.card', { hasText: LATER_PROOF }).waitFor();
    const threads = await workbench.threads();
    await threads.first().filter({ hasText: LATER }).waitFor();
    await threads.last().hover();
    await view.getByRole('button', { name: `Keep on top ${QUESTION}` }).click();
    await threads.first().filter({ hasText: QUESTION }).waitFor();
  });

  await story.step('A view that is killed is there again, with its answer, when it is shown again', async () => {
    await (await workbench.threads()).first().click();
    await view.locator('.state-verified', { hasText: 'quote intact' }).first().waitFor();
    // The workbench and its views are one process here: what the view shows goes, and nobody is told.
    await view.locator('body').evaluate(() => location.replace('about:blank'));
    await view.locator('#question').waitFor({ state: 'detached' });
    for (const name of [/^Explorer/, /^Lens/]) await page.getByRole('tab', { name }).click(); // it hears no keys
    await view.locator('.state-verified', { hasText: 'quote intact' }).first().waitFor();
    await (await workbench.threads()).first().filter({ hasText: QUESTION }).waitFor();
    await page.keyboard.press('Escape');
  });

  await story.step('It is copied with its citations', async () => {
    await act('Copy with citations');
    await view.getByText('Copied, with citations.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, new RegExp(`^\\[1\\] .*${path.basename(SOURCE)}:\\d+: “${PROOF}”$`, 'm'));
  });

  await story.step('It is exported to the folder, under the name that is offered', async () => {
    await act('Export…');
    const box = workbench.quickInput.locator('input.input');
    await page.waitForFunction((input) => input.value.endsWith('.md'), await box.elementHandle());
    const file = await box.inputValue();
    assert.equal(path.dirname(file), folder);
    await page.keyboard.press('Enter');
    await workbench.tab(path.basename(file)).waitFor();
    assert.ok(readFileSync(file, 'utf8').includes(`> ${PROOF} [^`));
    await workbench.command('View: Close All Editors');
  });

  await story.step('It is put into the note that is open', async () => {
    await workbench.openFile('index.md');
    await act('Insert into note');
    await workbench.line(workbench.editor('index.md'), `> ${PROOF} [^`).waitFor();
    await workbench.line(workbench.editor('index.md'), `${SOURCE}:${proofIn(folder).line}`).waitFor();
  });

  await story.step('One that is called wrong is withdrawn, and asked again', async () => {
    await act('This is wrong');
    await view.getByRole('dialog').getByRole('button', { name: 'Withdraw it and ask again' }).click();
    await view.getByText('Withdrawn: you called it wrong.').waitFor();
    await view.locator('article').nth(1).waitFor();
    assert.equal(await (await workbench.turn()).locator('.need-covered').count(), 0);
  });

  await story.step('A thread is deleted for good, once that was agreed to', async () => {
    const threads = await workbench.threads();
    const deleted = threads.filter({ hasText: LATER });
    await deleted.hover();
    await view.getByRole('button', { name: `Delete this thread… ${LATER}` }).click();
    await view.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await view.getByText('The thread was deleted.').waitFor();
    await deleted.waitFor({ state: 'detached' });
  });
}
