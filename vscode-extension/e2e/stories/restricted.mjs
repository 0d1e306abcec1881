/** A folder that is not trusted: evidence without a model, until the user trusts it. */
import assert from 'node:assert/strict';
import path from 'node:path';

import { docs, PROOF, QUESTION } from '../corpus.mjs';
import { Endpoint } from '../endpoint.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const endpoint = await Endpoint.start({
    quote: PROOF,
    value: '4 and 64',
    answer: 'Four run, sixty-four wait [1].',
  });
  story.finally(() => endpoint.stop());
  const settings = {
    'lens.interpreter': environmentOf(packaged()),
    'lens.model.baseUrl': endpoint.baseUrl,
    'lens.model.name': 'story',
    'security.workspace.trust.startupPrompt': 'always',
  };
  const server = await story.server({ vsix: [packaged()], settings, trust: true });
  const workbench = await story.window(server, { folder });

  await story.step('The editor asks whether to trust the folder', () => workbench.dialog('trust').waitFor());

  await story.step('In Restricted Mode the status bar says so', async () => {
    await workbench.dialog('trust').locator('.monaco-button', { hasText: 'No' }).click();
    await workbench.ready();
    await workbench.statusItem('Restricted Mode').waitFor();
    await workbench.openFile('index.md');
    await workbench.statusItem('Lens: ready').waitFor();
  });

  await story.step('A question is answered by evidence alone', async () => {
    await workbench.ask(QUESTION);
    await (await workbench.turn()).locator('.card', { hasText: PROOF }).waitFor();
    assert.equal(endpoint.connections, 0, 'no model is asked in Restricted Mode');
  });

  await story.step('Once trusted, the model is there', async () => {
    await workbench.command('Workspaces: Manage Workspace Trust');
    await workbench.page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
    await workbench.statusItem(endpoint.host).waitFor();
  });

  await story.step('A trusted question goes to the model', async () => {
    await workbench.ask('How many questions run side by side, and how many wait?');
    await (await workbench.turn()).locator('.prose', { hasText: 'sixty-four wait' }).waitFor();
    assert.ok(endpoint.stages.includes('read'));
  });
}
