/** Twenty thousand files are asked, and the window goes on answering. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { FILES, many } from '../corpus.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

/** Milliseconds in which the palette must open on two busy cores. */
const PROMPT = 2_000;

export async function story(story) {
  const { folder, question, proof } = many(path.join(story.dir, 'many'));
  const server = await story.server({
    vsix: [packaged()],
    settings: { 'lens.interpreter': environmentOf(packaged()) },
  });
  const workbench = await story.window(server, { folder });
  const opened = [];

  await story.step('Twenty thousand files are open', () => workbench.ready());

  await story.step('The palette opens at once while they are searched', async () => {
    await workbench.ask(question);
    const turn = workbench.view.locator('article').last();
    await turn.waitFor();
    do {
      const began = performance.now();
      await workbench.page.keyboard.press('F1');
      await workbench.quickInput.waitFor();
      opened.push(performance.now() - began);
      await workbench.page.keyboard.press('Escape');
      await workbench.quickInput.waitFor({ state: 'hidden' });
    } while ((await turn.getAttribute('aria-busy')) === 'true');
  });

  await story.step('The answer is found among them', async () => {
    await (await workbench.turn()).locator('.card', { hasText: proof }).waitFor();
  });

  const slowest = Math.round(Math.max(...opened));
  story.measure('files', FILES);
  story.measure('palette openings while asking', opened.length);
  story.measure('slowest opening of the palette, ms', slowest);
  assert.ok(slowest <= PROMPT, `the palette took ${slowest} ms to open`);
  fs.rmSync(folder, { recursive: true });
}
