/** Sixty hostile documents are asked about and their proofs opened: none reaches the canary, and nothing runs. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

import { ACTIVE, Canary, hostileDocuments } from '../../../../../vscode-extension/e2e/canary.mjs';
import { ask, Desktop, shot, Window } from '../desktop.mjs';
import { emptied } from '../rig.mjs';

describe('sixty hostile documents', () => {
  const dir = emptied('canary');
  const folder = path.join(dir, 'fleet');
  let canary;
  let documents;
  let desktop;
  let window;
  let page;

  before(async () => {
    canary = await Canary.start();
    documents = hostileDocuments(folder, canary.origin);
    desktop = await Desktop.start(dir, [folder]);
    window = await Window.open();
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
    await canary?.stop();
  });

  it('are asked about, cited and opened, and none acts', async () => {
    for (const { path: name, question, proof } of documents) {
      await page.goto(`${desktop.origin}/#/`);
      await page.locator('article').first().waitFor({ state: 'detached' });
      const turn = await ask(page, question);
      const card = turn.locator('.card', { hasText: proof.slice(0, 25) }).first();
      await turn.locator('.cite').first().hover();
      await page.getByRole('tooltip').waitFor();
      await card.locator('.card-open').click();
      await page.locator('.source h2', { hasText: name }).waitFor();
      await page.locator('.source').getByText(proof).or(page.locator('.source img, .source mark')).first().waitFor();
      const acting = await page
        .locator('article, .popover, .source')
        .locator(ACTIVE)
        .evaluateAll((all) =>
          all.map((each) => each.outerHTML).filter((html) => !html.startsWith('<img class="page"')),
        );
      assert.deepEqual(acting, [], name);
      assert.equal(canary.connections, 0, `${name} reached the canary`);
    }
    await shot(page, 'canary');
    assert.equal(documents.length, 60);
    assert.deepEqual(window.complaints, []);
  });

  it('would have been heard: shown as what they are, pages and drawings reach the canary', async () => {
    const reached = [];
    for (const { path: name } of documents.filter((each) => /\.(html|svg)$/.test(each.path))) {
      const count = canary.connections;
      const tab = await window.context.newPage();
      await tab.goto(pathToFileURL(path.join(folder, name)).href).catch(() => undefined);
      await canary.reachedSince(count, 5_000);
      if (canary.connections > count) reached.push(name);
      await tab.close();
    }
    assert.ok(reached.length >= 12, `only ${reached} reached it`);
  });
});
