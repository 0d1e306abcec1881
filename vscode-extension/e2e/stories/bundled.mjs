/** The build for one platform, where no Python is: the first answer needs no set-up, no download and no question. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { docs, PROOF, QUESTION } from '../corpus.mjs';
import { packagedFor } from '../packaged.mjs';
import { e2e } from '../rig.mjs';

const KEEL = 'When was the keel of the Arlen ferry laid?';

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  fs.copyFileSync(path.join(e2e, 'fixtures/ferry.pdf'), path.join(folder, 'ferry.pdf'));
  const empty = path.join(story.dir, 'empty');
  fs.mkdirSync(empty);
  const server = await story.server({
    vsix: [packagedFor(`${process.platform}-${process.arch}`)],
    env: { PATH: empty },
  });
  const workbench = await story.window(server, { folder });
  const { view } = workbench;

  await story.step('It is ready as soon as it is looked at', async () => {
    await workbench.ready();
    const began = Date.now();
    await workbench.command('Lens: Ask a Question…');
    await view.locator('.standing-offline').waitFor();
    story.measure('from the command until it is ready, ms', Date.now() - began);
  });

  await story.step('The first question is answered', async () => {
    await workbench.asks(QUESTION);
    await (await workbench.turn()).locator('.card', { hasText: PROOF }).waitFor();
  });

  await story.step('A PDF is read without anything further', async () => {
    await workbench.ask(KEEL);
    await (await workbench.turn()).locator('.card', { hasText: 'ferry.pdf' }).first().waitFor();
    assert.equal(await view.getByRole('button', { name: /^Read documents too/ }).count(), 0);
  });

  assert.deepEqual(workbench.strangers, [], 'the window asked no other machine for anything');
  const storage = path.join(server.data, 'User/globalStorage/lens-lsp.lens/server');
  assert.ok(!fs.existsSync(storage), 'nothing was installed');
}
