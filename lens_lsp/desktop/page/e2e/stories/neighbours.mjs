/** Other servers of this machine: whatever the page shows and wherever its user goes, they receive nothing that opens it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { ask, Desktop, Window } from '../desktop.mjs';
import { CookieServer, Neighbour } from '../neighbour.mjs';
import { emptied, hostileMarkdown } from '../rig.mjs';

const SENTENCE = 'The keel of the Arlen ferry was laid on 4 May 1931.';
const QUESTION = 'When was the keel of the Arlen ferry laid?';
const PATHS = ['/api/folders', '/api/settings', '/api/asks'];

/** A question is answered by what it takes; fails where the page is not let in. */
async function works(page) {
  const turn = await ask(page, QUESTION);
  await turn.locator('.cite').first().waitFor();
  return turn;
}

describe('another server of this machine', () => {
  const dir = emptied('neighbours');
  const folder = path.join(dir, 'notes');
  let desktop;
  let neighbour;
  let window;
  let page;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'ship.md'), `# Ships\n\nNothing is known of the other ships.\n`);
    desktop = await Desktop.start(dir, [folder]);
    neighbour = await Neighbour.start(desktop.origin);
    const [own] = neighbour.origins;
    const text = `# Keel\n\n${SENTENCE} [there](${own}/link) ![x](${own}/image) ${hostileMarkdown(own)}\n`;
    writeFileSync(path.join(folder, 'keel.md'), text);
    window = await Window.open();
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
    await neighbour?.stop();
  });

  /** What the neighbour's page found; a page that is not its own tries nothing. */
  const visited = async (tab) => {
    await tab.waitForFunction(() => document.title === 'done');
  };

  it('hears nothing of documents that link to it, in an answer and in the source', async () => {
    const turn = await works(page);
    await turn.locator('.card-open').first().click();
    await page.locator('.source mark').first().waitFor();
    await page.keyboard.press('Escape');
    assert.deepEqual(neighbour.received, []);
  });

  it('is visited from the page, in every way that there is, and the page goes on working', async () => {
    for (const [at, origin] of neighbour.origins.entries()) {
      await page.evaluate((to) => location.assign(to), `${origin}/visit/${at}/assign`);
      await visited(page);
      await page.goBack();
      await works(page);
      for (const features of ['', 'noopener']) {
        const opening = window.context.waitForEvent('page');
        await page.evaluate(([to, how]) => void open(to, '_blank', how), [`${origin}/visit/${at}/open`, features]);
        const other = await opening;
        await visited(other);
        await other.close();
      }
      const opening = window.context.waitForEvent('page');
      await page.evaluate((to) => {
        const link = document.body.appendChild(document.createElement('a'));
        Object.assign(link, { href: to, target: '_blank', rel: 'opener', referrerPolicy: 'unsafe-url' });
        link.click();
        link.remove();
      }, `${origin}/visit/${at}/link`);
      const other = await opening;
      await visited(other);
      await other.close();
      await page.goto(`${origin}/visit/${at}/typed`);
      await visited(page);
      await page.goto(desktop.origin);
      await page.reload();
      await works(page);
    }
    const visits = neighbour.received.filter(({ url }) => url.startsWith('/visit/'));
    assert.equal(visits.length, 2 * 5);
    assert.equal(neighbour.received.filter(({ url }) => url === '/loot').length, 2 * 5);
  });

  it('received nothing that opens anything, however it is sent', async () => {
    const { tries, answered, opened } = await neighbour.opens(desktop.origin, PATHS);
    assert.ok(answered > 500, `${answered} of ${tries}`);
    assert.deepEqual(opened, []);
    const key = await page.evaluate(() => localStorage.getItem('lens.key'));
    assert.ok(!JSON.stringify(neighbour.received).includes(key));
    assert.deepEqual(await window.context.cookies(), []);
  });

  it('would open it with the key, if it had that', async () => {
    const key = await page.evaluate(() => localStorage.getItem('lens.key'));
    const thief = new Neighbour();
    thief.received.push({ url: '/', headers: ['X-Found', key], body: '' });
    const { opened } = await thief.opens(desktop.origin, PATHS);
    assert.deepEqual(
      opened.map((each) => each.path),
      PATHS, // by the key alone, of all the ways to send it
    );
  });

  it('does open a server whose key is a cookie', async () => {
    const own = await CookieServer.start();
    const other = await Neighbour.start(own.origin);
    const tab = await window.context.newPage();
    await tab.goto(own.origin);
    await tab.goto(`${other.origins[0]}/visit`);
    const { opened } = await other.opens(own.origin, PATHS);
    assert.ok(opened.length > 0);
    await tab.close();
    await other.stop();
    await own.stop();
    await window.context.clearCookies();
  });

  it('is no way in without a link: a browser that has none is told what to open', async () => {
    const stranger = await Window.open();
    const tab = await stranger.tab(desktop.origin);
    await tab.getByText('This page needs its link').waitFor();
    await stranger.close();
    const second = await window.tab(desktop.origin); // another tab of the same browser needs none
    await works(second);
    await second.close();
  });
});
