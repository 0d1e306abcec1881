/** Sixty hostile documents are asked about and their proofs opened: none reaches the canary, and nothing runs. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { ACTIVE, Canary, hostileDocuments } from '../canary.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

export async function story(story) {
  const folder = path.join(story.dir, 'fleet');
  const canary = await Canary.start();
  story.finally(() => canary.stop());
  const documents = hostileDocuments(folder, canary.origin);
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });
  const { page, view } = workbench;
  const dialogs = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });

  await story.step('A folder of hostile documents is open', async () => {
    await workbench.ready();
    await workbench.command('Lens: Ask a Question…');
    await view.locator('.standing-offline').waitFor();
  });

  const kinds = [...new Set(documents.map((each) => path.extname(each.path)))];
  for (const kind of kinds) {
    const of = documents.filter((each) => path.extname(each.path) === kind);
    await story.step(`Nothing acts of ${of.length} × ${kind}`, async () => {
      for (const { path: name, question, proof } of of) {
        await view.getByRole('button', { name: 'New question' }).first().click();
        await view.locator('article').first().waitFor({ state: 'detached' });
        await workbench.asks(question);
        const turn = await workbench.turn();
        const card = turn.locator('.card', { hasText: proof.slice(0, 25) }).first();
        await card.waitFor();
        await turn.locator('.cite').first().hover();
        await view.locator('.popover').waitFor();
        const acting = await view
          .locator('article, .popover')
          .locator(ACTIVE)
          .evaluateAll((all) => all.map((each) => each.outerHTML));
        assert.deepEqual(acting, [], name);
        await page.mouse.move(0, 0); // what a citation shows lies over the cards
        await view.locator('.popover').waitFor({ state: 'hidden' });
        await card.locator('.card-open').click();
        await page.locator('.tab.active', { hasText: path.parse(name).name }).waitFor();
        await card.and(view.locator('.here')).waitFor();
        await page.keyboard.press('Escape');
        assert.equal(canary.connections, 0, `${name} reached the canary`);
      }
    });
  }

  await story.step('Nothing was asked of another machine, and nothing was run', async () => {
    assert.equal(documents.length, 60);
    assert.equal(canary.connections, 0);
    assert.deepEqual(dialogs, []);
    assert.equal(await page.locator('.terminal-wrapper, .xterm').count(), 0);
    assert.deepEqual(workbench.strangers, []);
    story.measure('hostile documents', documents.length);
    story.measure('requests that reached the canary', canary.connections);
  });

  await story.step('The canary counts: a browser that shows them as what they are reaches it', async () => {
    const reached = [];
    for (const { path: name } of documents.filter((each) => /\.(html|svg)$/.test(each.path))) {
      const before = canary.connections;
      const tab = await page.context().newPage();
      await tab.goto(pathToFileURL(path.join(folder, name)).href).catch(() => undefined);
      await canary.reachedSince(before, 5_000);
      if (canary.connections > before) reached.push(name);
      await tab.close();
    }
    story.measure('of 16 pages and drawings, shown as what they are, reached it', reached.length);
    assert.ok(reached.length >= 12, `only ${reached} reached it`);
  });
}
