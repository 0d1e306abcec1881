/** A model on this machine: it streams, is cancelled, runs out of budget, and is gone. */
import assert from 'node:assert/strict';
import path from 'node:path';

import { docs, FACT, PROOF, QUESTION } from '../corpus.mjs';
import { Endpoint } from '../endpoint.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

/** Milliseconds after which nobody is taken to be waiting for an answer any more. */
const STILL_LOOKING = 2_000;
const WORDS = 'Four questions are worked on at the same time, and sixty-four more wait for their turn [1].';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const endpoint = await Endpoint.start({
    fact: FACT,
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
    await workbench.line(workbench.streaming, '● covered').waitFor();
    await workbench.line(workbench.streaming, PROOF).waitFor();
    await workbench.line(workbench.streaming, 'Four questions are worked').waitFor();
  });

  await story.step('The whole answer cites what proves it', async () => {
    endpoint.release();
    await workbench.line(workbench.answer, 'sixty-four more wait').waitFor();
    assert.equal(endpoint.left, 0);
  });

  await story.step('A palette that is open when an answer comes stays open', async () => {
    const { page } = workbench;
    await workbench.line(workbench.answer, 'sixty-four more wait').click();
    endpoint.hold();
    await workbench.ask('How many questions are answered at once?');
    await workbench.line(workbench.streaming, 'Four questions are worked').waitFor();
    const shown = Date.now();
    await page.waitForFunction((end) => Date.now() > end, shown + STILL_LOOKING); // until then the answer takes the focus
    await page.keyboard.press('F1');
    await page.keyboard.type('Lens: Ask');
    endpoint.release();
    await workbench.line(workbench.answer, 'sixty-four more wait').waitFor();
    await workbench.tab('How many questions are answered at once.md').waitFor({ state: 'hidden' }); // the one that streamed
    await page.keyboard.type(' a Q');
    assert.equal(await workbench.quickInput.locator('input.input').inputValue({ timeout: 1_000 }), '>Lens: Ask a Q');
    await page.keyboard.press('Escape');
  });

  await story.step('A question is cancelled and the model is left alone', async () => {
    endpoint.hold();
    await workbench.ask('How many questions wait at most?');
    await workbench.line(workbench.streaming, 'Four questions are worked').waitFor();
    await workbench.respond('Lens is searching', 'Cancel');
    await workbench.line(workbench.streaming, 'Cancelled').waitFor();
    await endpoint.hungUp;
  });

  await story.step('The budget is spent before the answer', async () => {
    endpoint.release();
    await workbench.set({ ...settings, 'lens.budget.calls': 1 });
    await workbench.ask('How many questions run side by side?');
    await workbench.notification('all calls that the budget allows').waitFor();
  });

  await story.step('The endpoint is down and the rules answer', async () => {
    await workbench.set(settings);
    await endpoint.stop();
    await workbench.ask('How many questions run together and how many wait?');
    await workbench.notification('The model failed').waitFor();
  });
}
