/** The Chat view with a model of another extension: `@lens` answers, and its places can be clicked. */
import assert from 'node:assert/strict';
import path from 'node:path';

import { Canary, hostileMarkdown } from '../canary.mjs';
import { docs, PROOF, proofIn, QUESTION, SOURCE } from '../corpus.mjs';
import { Endpoint } from '../endpoint.mjs';
import { environmentOf, packaged, provider } from '../packaged.mjs';

const AGAIN = 'How many of the questions run at once, and how many have to wait?';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const proof = proofIn(folder);
  const canary = await Canary.start();
  story.finally(() => canary.stop());
  const endpoint = await Endpoint.start({
    quote: PROOF,
    value: '4 and 64',
    answer: 'Four run and sixty-four wait [1].',
  });
  story.finally(() => endpoint.stop());
  const settings = {
    'lens.interpreter': environmentOf(packaged()),
    'lens.model.name': 'editor:story',
    'chat.disableAIFeatures': false,
  };
  const server = await story.server({
    vsix: [packaged(), provider()],
    settings,
    env: { STORY_MODEL: endpoint.baseUrl },
  });
  const workbench = await story.window(server, { folder });
  const { page } = workbench;
  const session = page.locator('.interactive-session');

  await story.step('The Chat view is open', async () => {
    await workbench.ready();
    await workbench.command('Chat: Open Chat');
    await session.locator('.chat-input-container .monaco-editor').first().click();
  });

  await story.step('@lens is asked', async () => {
    await page.keyboard.type(`@lens ${QUESTION}`);
    // The words stand in several lines of the box.
    const end = QUESTION.split(' ').at(-1);
    await session.locator('.chat-input-container .view-line', { hasText: end }).waitFor();
  });

  await story.step('Before the model of the editor reads anything, the user is asked', async () => {
    await page.keyboard.press('Escape');
    // Without a model in its picker the view refuses to ask anybody.
    await session.getByText('Story 1').first().waitFor();
    await page.keyboard.press('Enter');
    await workbench.view.getByRole('dialog').getByText('send your question').waitFor();
  });

  await story.step('It answers with the place that proves it', async () => {
    await workbench.view.getByRole('dialog').getByRole('button', { name: /^Send/ }).click();
    await session.locator('.interactive-response', { hasText: 'sixty-four wait' }).waitFor();
  });

  await story.step('The place leads to the exact words', async () => {
    await session
      .locator('.interactive-response a, .interactive-response .chat-inline-anchor-widget', {
        hasText: path.basename(SOURCE),
      })
      .first()
      .click();
    await workbench.tab(path.basename(SOURCE)).waitFor();
    await workbench.place(`Ln ${proof.line}, Col ${proof.column + proof.length} (${proof.length} selected)`);
  });

  await story.step('Hostile words of the model do nothing', async () => {
    endpoint.script.answer = `Four run, and sixty-four of them wait [1]. ${hostileMarkdown(canary.origin)}`;
    await session.locator('.chat-input-container .monaco-editor').first().click();
    await page.keyboard.type(`@lens ${AGAIN}`);
    await session.locator('.chat-input-container .view-line', { hasText: AGAIN.split(' ').at(-1) }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    const response = session.locator('.interactive-response', { hasText: 'entity.png' });
    await response.waitFor();
    const places = ['src', 'href', 'data-href'].map((name) => `[${name}*="${new URL(canary.origin).host}"]`);
    const acts = response.locator([...places, 'script', 'iframe', '[data-href^="command:workbench"]'].join(', '));
    assert.deepEqual(await acts.evaluateAll((found) => found.map((each) => each.outerHTML.slice(0, 200))), []);
    assert.equal(canary.connections, 0);
  });
}
