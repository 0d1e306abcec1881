/** Notes that would act if they were shown as what they are: nothing they say is loaded, run or followed. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

import { ask, Desktop, shot, Window } from '../desktop.mjs';
import { Canary, Endpoint, emptied, hostileMarkdown } from '../rig.mjs';

const SENTENCE = 'The keel of the Arlen ferry was laid on 4 May 1931.';
const QUESTION = 'When was the keel of the Arlen ferry laid?';
/** Whatever is loaded, run or followed elsewhere; the page itself has none of these but its own picture. */
const ACTIVE = [
  ...[
    'script',
    'iframe',
    'object',
    'embed',
    'form[action]',
    'video',
    'audio',
    'link',
    'base',
    'meta',
    'style',
    'foreignObject',
  ],
  ...['a[href]', '[src]', '[srcset]', '[xlink\\:href]', '[style]', '[onerror]', '[onload]', '[onclick]'],
].join(', ');

function notes(folder, origin) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('${origin}/svg')"><image href="${origin}/image"/><foreignObject><img src="${origin}/inner"/></foreignObject><text>${SENTENCE}</text><script>fetch("${origin}/svg-script")</script></svg>`;
  const html = `<html><head><link rel=stylesheet href="${origin}/css"><meta http-equiv=refresh content="0;url=${origin}/refresh"></head><body onload="fetch('${origin}/load')"><p>${SENTENCE}</p><img src="${origin}/img"><script>fetch('${origin}/script')</script></body></html>`;
  const files = {
    'keel.md': `# Keel\n\n${SENTENCE} ${hostileMarkdown(origin)}\n\n[1]: ${origin}/definition\n\n<math><mtext><table><mglyph><style><img src="${origin}/mxss" onerror=alert(1)>\n\n| a | b |\n| :-: | - |\n| <b style="background:url(${origin}/css)">x</b> | ![x](${origin}/cell) |\n`,
    'keel.svg': svg,
    'keel.html': html,
    'keel.csv': `ship,laid\nArlen ferry,"${SENTENCE} <img src=${origin}/csv onerror=fetch('${origin}/csv2')>"\n`,
    '<img src=x onerror=alert(1)>.md': `# Names\n\n${SENTENCE} And the name acts.\n`,
    '.lens.toml': `[model]\nbaseUrl = "${origin}/v1"\nname = "canary"\n`,
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
}

/** What acts in a place, as it stands there. */
function active(page, place) {
  return page
    .locator(place)
    .locator(ACTIVE)
    .evaluateAll((found) => found.map((each) => each.outerHTML.slice(0, 160)));
}

describe('hostile notes', () => {
  const dir = emptied('hostile');
  const folder = path.join(dir, 'notes');
  let canary;
  let endpoint;
  let desktop;
  let window;
  let page;

  before(async () => {
    canary = await Canary.start();
    notes(folder, canary.origin);
    const answer = `It was laid on 4 May 1931 [1]. ${hostileMarkdown(canary.origin)}`;
    endpoint = await Endpoint.start({ quote: SENTENCE, value: '4 May 1931', answer });
    const settings = `[model]\nbaseUrl = "${endpoint.baseUrl}"\nname = "story"\n`;
    desktop = await Desktop.start(dir, [folder], { settings });
    window = await Window.open();
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
    await endpoint?.stop();
    await canary?.stop();
  });

  it('are shown as text in answers of rules and of a model, in cards and beside citations', async () => {
    for (const mode of ['evidence', 'fast']) {
      await page.locator('select').last().selectOption(mode);
      const turn = await ask(page, mode === 'fast' ? QUESTION : 'On which day was the keel of the ferry laid?');
      await turn.locator('.cite').first().hover();
      await page.getByRole('tooltip').waitFor();
      assert.deepEqual(await active(page, 'article'), []);
      assert.deepEqual(await active(page, '.popover'), []);
    }
    await shot(page, 'hostile-answer');
  });

  it('are shown as text in the source, whatever kind they are', async () => {
    await page.locator('select').last().selectOption('evidence');
    await page.locator('select').first().selectOption('files');
    for (const name of ['keel.md', 'keel.svg', 'keel.html', 'keel.csv', '*onerror*']) {
      await page.getByLabel('Pattern of files').fill(name);
      const turn = await ask(page, QUESTION);
      await turn.locator('.card-open').first().click();
      await page.locator('.source mark').first().waitFor();
      assert.ok((await page.locator('.source h2').innerText()).includes(name.replaceAll('*', '')));
      assert.deepEqual(await active(page, '.source'), []);
      await shot(page, `hostile-${name.replace(/\W/g, '')}`);
      for (const toggle of await page.locator('.source .toggle button').all()) {
        await toggle.click();
        assert.deepEqual(await active(page, '.source'), []);
      }
    }
    await page.locator('select').first().selectOption('everything');
  });

  it('act in none of the other views', async () => {
    for (const view of ['map', 'sent', 'settings']) {
      await page.goto(`${desktop.origin}/#/${view}`);
      await page.locator('main h1').waitFor();
      assert.deepEqual(await active(page, 'main'), []);
    }
  });

  it('name no model: the folder has no say', async () => {
    assert.ok(endpoint.stages.length > 0);
    assert.equal(canary.connections, 0);
  });

  it('refuses a link to be followed, a frame and a script of the page by its policy', async () => {
    const refused = await page.evaluate(async (origin) => {
      const outcomes = [];
      outcomes.push(
        await fetch(`${origin}/fetch`).then(
          () => 'fetched',
          () => 'refused',
        ),
      );
      const image = new Image();
      outcomes.push(
        await new Promise((resolve) => {
          image.onload = () => resolve('loaded');
          image.onerror = () => resolve('refused');
          image.src = `${origin}/image.png`;
        }),
      );
      return outcomes;
    }, canary.origin);
    assert.deepEqual(refused, ['refused', 'refused']);
    assert.equal(canary.connections, 0);
    // What the page was made to try is what it complains of.
    assert.deepEqual(
      window.complaints.filter(
        (each) => !/Content Security Policy|violates the following|Refused to|Failed to fetch/.test(each),
      ),
      [],
    );
  });

  it('would have been heard: the same words in a page that is not ours reach the canary', async () => {
    const bare = path.join(dir, 'bare.html');
    cpSync(path.join(folder, 'keel.html'), bare);
    const control = await window.context.newPage();
    await control.goto(pathToFileURL(bare).href).catch(() => undefined);
    const end = Date.now() + 10_000;
    while (canary.connections === 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(canary.connections > 0);
  });
});
