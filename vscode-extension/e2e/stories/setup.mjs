/** A machine on which nothing is set up: the search, documents, a model; what goes wrong on the way, and all of it away again. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { docs, PROOF, QUESTION } from '../corpus.mjs';
import { Endpoint } from '../endpoint.mjs';
import { packaged } from '../packaged.mjs';
import { e2e } from '../rig.mjs';

/** Where Ollama listens. */
const OLLAMA = 11434;
const KEEL = 'When was the keel of the Arlen ferry laid?';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  fs.copyFileSync(path.join(e2e, 'fixtures/ferry.pdf'), path.join(folder, 'ferry.pdf'));
  const server = await story.server({ vsix: [packaged()] });
  const workbench = await story.window(server, { folder });
  const { page, view } = workbench;
  const standing = view.locator('.standing');
  const storage = path.join(server.data, 'User/globalStorage/lens-lsp.lens/server');

  await story.step('A new machine: what is needed is said, with a button', async () => {
    await workbench.ready();
    await workbench.command('Lens: Ask a Question…');
    await standing.getByText('Lens has to be set up once on this machine.').waitFor();
    await standing.getByRole('button', { name: 'Set up' }).waitFor();
    await workbench.statusItem('Lens: needs you').waitFor();
  });

  await story.step('Before it begins one reads what it takes', async () => {
    await standing.getByRole('button', { name: 'Set up' }).click();
    const dialog = view.getByRole('dialog', { name: 'Set Lens up?' });
    const said = await dialog.locator('.consent-said').innerText();
    assert.match(said, /\d+ MB are downloaded, and \d+ MB are taken on disk/);
  });

  await story.step('Another view over it, and it is still asked', async () => {
    await workbench.command('View: Show Explorer');
    await workbench.statusItem('Lens: needs you').click();
    await view.getByRole('dialog', { name: 'Set Lens up?' }).waitFor();
  });

  await story.step('While it is set up one sees how far it is', async () => {
    await view.getByRole('dialog').getByRole('button', { name: 'Set up', exact: true }).click();
    await view.locator('.standing-settingUp', { hasText: /package \d+ of \d+/ }).waitFor();
  });

  await story.step('It is ready, and without a model', () => view.locator('.standing-offline').waitFor());

  await story.step('A question that meets a PDF offers to read it, and not before', async () => {
    assert.equal(await standing.getByRole('button', { name: /^Read documents too/ }).count(), 0);
    await workbench.asks(QUESTION);
    await (await workbench.turn()).locator('.card', { hasText: PROOF }).waitFor();
    await standing.getByRole('button', { name: /^Read documents too \(\d+ MB\)$/ }).waitFor();
  });

  await story.step('The PDF is read from then on', async () => {
    await standing.getByRole('button', { name: /^Read documents too/ }).click();
    await workbench.notification('are read from now on').waitFor();
    await workbench.ask(KEEL);
    await (await workbench.turn()).locator('.card', { hasText: 'ferry.pdf' }).first().waitFor();
    assert.equal(await standing.getByRole('button', { name: /^Read documents too/ }).count(), 0);
  });

  const endpoint = await Endpoint.start({
    quote: PROOF,
    value: '4 and 64',
    answer: 'Four run at the same time, sixty-four wait [1].',
    port: OLLAMA,
  });
  endpoint.models = ['story', 'broken'];
  story.finally(() => endpoint.stop());

  await story.step('The model picker lists what answers on this machine', async () => {
    await standing.getByRole('button', { name: 'Choose a model' }).click();
    await workbench.rows
      .filter({ hasText: 'story' })
      .filter({ hasText: `Ollama · 127.0.0.1:${OLLAMA}` })
      .waitFor();
  });

  await story.step('A model that gives no answer says why', async () => {
    endpoint.refusing = 'model "broken" needs more memory than there is';
    await workbench.pick('broken');
    await workbench.notification('needs more memory').waitFor();
    await workbench.statusItem('Lens: ready').waitFor();
  });

  await story.step('One that answers is used, and says how long it took', async () => {
    endpoint.refusing = null;
    await workbench.respond('needs more memory', 'Choose another');
    await workbench.pick('story');
    await workbench.notification(/story answered in [\d.]+ s/).waitFor();
    await view.locator('.standing-ready', { hasText: 'story on this machine words the answer' }).waitFor();
    await workbench.statusItem(endpoint.host).waitFor();
    assert.ok(!fs.existsSync(path.join(folder, '.vscode')), 'nothing is written into the workspace');
  });

  await story.step('The model answers', async () => {
    await workbench.ask(QUESTION);
    await (await workbench.turn()).locator('.prose', { hasText: 'sixty-four wait' }).waitFor();
  });

  await story.step('The model is gone: the question is answered all the same', async () => {
    await endpoint.stop();
    await workbench.ask('How many questions may run at a time, and how many may wait?');
    await (await workbench.turn()).locator('.card').first().waitFor();
    await view.locator('.standing-unreachable').getByRole('button', { name: 'Choose a model' }).waitFor();
  });

  await story.step('A program that is not there keeps nobody from an answer', async () => {
    await workbench.set({ 'lens.path': '/nowhere/lens' });
    await standing.getByText('lens.path names no program that can be run: /nowhere/lens').waitFor();
    await workbench.ask(QUESTION);
    await (await workbench.turn()).locator('.card', { hasText: PROOF }).waitFor();
    await workbench.set({});
  });

  await story.step('What was installed is removed again', async () => {
    await workbench.command('Lens: Remove What Was Installed');
    await workbench
      .dialog('Remove the search program of Lens?')
      .locator('.monaco-button', { hasText: 'Remove' })
      .click();
    await workbench.notification('are free again').waitFor();
    await view.locator('.standing-needsYou').getByRole('button', { name: 'Set up' }).waitFor();
    assert.ok(!fs.existsSync(storage), `${storage} is still there`);
    assert.equal(await view.getByRole('dialog').count(), 0, 'nobody asked for a new set-up');
  });

  assert.deepEqual(workbench.strangers, [], 'the window asked no other machine for anything');
  await page.mouse.move(0, 0);
}
