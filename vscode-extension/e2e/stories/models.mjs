/** A model on this machine: it streams, is cancelled, and is gone. */
import assert from 'node:assert/strict';
import path from 'node:path';

import { docs, PROOF, QUESTION } from '../corpus.mjs';
import { Endpoint } from '../endpoint.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

const WORDS = 'Four questions are worked on at the same time, and sixty-four more wait for their turn [1].';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const endpoint = await Endpoint.start({
    quote: PROOF,
    value: '4 and 64',
    answer: WORDS,
  });
  story.finally(() => endpoint.stop());
  const settings = {
    'lens.interpreter': environmentOf(packaged()),
    'lens.model.baseUrl': endpoint.baseUrl,
    'lens.model.name': 'story',
  };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });

  await story.step('The status bar names the host of the model', async () => {
    await workbench.ready();
    await workbench.openFile('index.md');
    await workbench.statusItem(endpoint.host).waitFor();
  });

  await story.step('Evidence has arrived and the answer streams', async () => {
    endpoint.hold();
    await workbench.ask(QUESTION);
    const turn = workbench.view.locator('article').last();
    await turn.locator('.card').first().waitFor();
    await turn.getByText('Four questions are worked').waitFor();
  });

  await story.step('The whole answer cites what proves it', async () => {
    endpoint.release();
    const turn = await workbench.turn();
    await turn.locator('.prose', { hasText: 'sixty-four more wait' }).waitFor();
    await turn.locator('.need-covered').waitFor();
    await turn.locator('.cite').first().waitFor();
    assert.equal(endpoint.left, 0);
  });

  await story.step('A palette that is open when an answer comes stays open', async () => {
    const { page } = workbench;
    endpoint.hold();
    await workbench.ask('How many questions may run at a time?');
    await workbench.view.locator('article').last().getByText('Four questions are worked').waitFor();
    await page.keyboard.press('F1');
    await workbench.quickInput.locator('input.input:focus').waitFor();
    await page.keyboard.type('Lens: Ask');
    endpoint.release();
    await (await workbench.turn()).locator('.prose', { hasText: 'sixty-four more wait' }).waitFor();
    await page.keyboard.type(' a Q');
    assert.equal(await workbench.quickInput.locator('input.input').inputValue({ timeout: 1_000 }), '>Lens: Ask a Q');
    await page.keyboard.press('Escape');
  });

  await story.step('A view that is hidden and shown again goes on where the answer is', async () => {
    endpoint.hold();
    await workbench.ask('How many further questions wait for their turn?');
    const turn = workbench.view.locator('article').last();
    await turn.getByText('Four questions are worked').waitFor();
    await workbench.command('View: Show Explorer');
    await workbench.ready();
    await workbench.command('View: Show Lens');
    await turn.getByText('Four questions are worked').waitFor();
    endpoint.release();
    await (await workbench.turn()).locator('.prose', { hasText: 'sixty-four more wait' }).waitFor();
  });

  await story.step('A question is cancelled and the model is left alone', async () => {
    endpoint.hold();
    await workbench.ask('Do four questions run at a time, and how many wait?');
    const turn = workbench.view.locator('article').last();
    await turn.getByText('Four questions are worked').waitFor();
    await workbench.view.getByRole('button', { name: 'Stop' }).click();
    await turn.getByText('Stopped. This is what was found until then.').waitFor();
    await endpoint.hungUp;
  });

  await story.step('The window is loaded anew in the middle of an answer, which can be asked again', async () => {
    endpoint.hold();
    const question = 'How many questions wait in the queue when four run at a time?';
    await workbench.ask(question);
    const turn = workbench.view.locator('article', { hasText: question });
    await turn.waitFor(); // at once: the editor's own memory comes too late for it
    await workbench.page.reload();
    await workbench.ready();
    await workbench.command('View: Show Lens');
    await turn.getByText('the window was closed or loaded anew').waitFor();
    endpoint.release();
    await turn.getByRole('button', { name: 'Ask again' }).click();
    await (await workbench.turn()).locator('.prose', { hasText: 'sixty-four more wait' }).waitFor();
  });

  await story.step('The endpoint is down and the rules answer', async () => {
    await workbench.set(settings);
    await endpoint.stop();
    await workbench.ask('How many questions run together and how many wait?');
    const turn = await workbench.turn();
    await turn.getByText('The model gave no answer: nothing listens').waitFor();
    await turn.locator('.card').first().waitFor();
    await workbench.view.locator('.standing-unreachable').waitFor();
  });
}
