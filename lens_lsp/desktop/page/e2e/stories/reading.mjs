/** A question is asked, its evidence read where it stands, and walked by keyboard. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { ask, Desktop, PATIENCE, shortcut, shot, Window } from '../desktop.mjs';
import { corpus, emptied, LEASE_SENTENCE, PROOF, QUESTION, SOURCE } from '../rig.mjs';

const INTERACTIVE_WITHIN = 300;

describe('reading', () => {
  const dir = emptied('reading');
  const folder = corpus(dir);
  const opened = path.join(dir, 'opened.txt');
  let desktop;
  let window;
  let page;
  let turn;

  before(async () => {
    const editor = path.join(dir, 'gvim');
    writeFileSync(editor, `#!/bin/sh\necho "$@" >> '${opened}'\n`, { mode: 0o755 });
    desktop = await Desktop.start(dir, [folder], { env: { VISUAL: editor } });
    window = await Window.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
  });

  const change = (name, from, to) => {
    const file = path.join(folder, name);
    const text = readFileSync(file, 'utf8');
    assert.ok(text.includes(from), name);
    writeFileSync(file, text.replace(from, to));
  };

  it('is ready for a question at once', async () => {
    const loads = [];
    for (let load = 0; load < 5; load += 1) {
      await page.reload();
      await page.locator('#question').waitFor();
      loads.push(await page.evaluate(() => performance.getEntriesByName('lens-interactive')[0].startTime));
    }
    console.log(`interactive after ${loads.map(Math.round).join(', ')} ms`);
    assert.ok(loads.sort((a, b) => a - b)[2] < INTERACTIVE_WITHIN, 'in the median');
    await page.getByText('nothing leaves it').waitFor();
    await shot(page, 'welcome');
  });

  it('answers with what the answer needs, and the passage that proves it', async () => {
    turn = await ask(page, QUESTION);
    await turn.locator('.need-covered').waitFor();
    assert.equal(await turn.locator('.card blockquote').first().innerText(), PROOF);
    await turn.getByText('Nothing left this machine').waitFor();
    await turn.locator('.state-verified').first().waitFor();
    await shot(page, 'answer');
  });

  it('shows the passage where a citation has the pointer or the focus', async () => {
    const cite = turn.locator('.cite').first();
    const tooltip = page.getByRole('tooltip');
    await cite.hover();
    assert.match(await tooltip.innerText(), new RegExp(PROOF));
    await shot(page, 'citation');
    await page.mouse.move(5, 5);
    await tooltip.waitFor({ state: 'detached' });
    await cite.focus();
    await tooltip.waitFor();
    assert.equal(await cite.getAttribute('aria-describedby'), await tooltip.getAttribute('id'));
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
  });

  it('opens the source with exactly the passage marked, rendered and as text', async () => {
    await turn.locator('.cite').first().click();
    const pane = page.getByRole('complementary');
    await pane.locator('mark').waitFor();
    assert.equal(await pane.locator('mark').innerText(), PROOF);
    assert.ok(await pane.locator('.note h2').count());
    await shot(page, 'source');
    await pane.getByRole('button', { name: 'Text' }).click();
    await pane.locator('.line mark').waitFor();
    assert.equal(await pane.locator('.line mark').innerText(), PROOF);
    const lines = readFileSync(path.join(folder, SOURCE), 'utf8').split('\n');
    const line = Number(await pane.locator('.line.cited').getAttribute('data-line'));
    assert.ok(lines[line - 1].includes(PROOF));
    await shot(page, 'source-text');
    await pane.getByRole('button', { name: 'Open in editor' }).click();
    await waitUntil(() => existsSync(opened) && readFileSync(opened, 'utf8').endsWith('\n'));
    assert.match(readFileSync(opened, 'utf8'), new RegExp(`${SOURCE}`));
  });

  it('gives the focus back when the source is closed', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('cite')));
  });

  it('marks a passage that holds markup, where it is rendered', async () => {
    turn = await ask(page, 'When does the lease of the boathouse end?');
    await turn.locator('.card-open').first().click();
    const marks = page.locator('.source .note mark');
    await marks.first().waitFor();
    assert.equal((await marks.allInnerTexts()).join(''), LEASE_SENTENCE.replaceAll('**', ''));
    assert.equal(await page.locator('.source .note strong mark').innerText(), 'lease of the boathouse');
    await page.keyboard.press('Escape');
  });

  it('shows a table as a table, and a program with its line numbers', async () => {
    turn = await ask(page, 'Who is the harbour master of Arlen?');
    await turn.locator('.card', { hasText: 'harbours.csv' }).locator('.card-open').click();
    await page.locator('.records td mark').first().waitFor();
    assert.match((await page.locator('.records td mark').allInnerTexts()).join(' '), /Bell, Ada/);
    await shot(page, 'table');
    turn = await ask(page, 'How long does the slack at Arlen pier last at springs?');
    await turn.locator('.card', { hasText: 'tide.py' }).locator('.card-open').click();
    await page.locator('.source-text .line.cited[data-line="5"] mark').waitFor();
    await page.keyboard.press('Escape');
  });

  it('walks the evidence by keyboard', async () => {
    const question = page.locator('#question');
    await shortcut(page, 'j');
    assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('card-open')));
    const first = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await page.keyboard.press('j');
    const second = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    assert.notEqual(first, second);
    await page.keyboard.press('k');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), first);
    await page.keyboard.press('Enter');
    const pane = page.getByRole('complementary');
    await pane.getByText('1 of ').waitFor();
    await page.keyboard.press('F4');
    await pane.getByText('2 of ').waitFor();
    await page.keyboard.press('Shift+F4');
    await pane.getByText('1 of ').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    assert.ok(await question.evaluate((box) => box === document.activeElement));
    await page.keyboard.type('a/j?');
    assert.equal(await question.inputValue(), 'a/j?');
    await question.fill('');
  });

  it('copies an answer with its citations', async () => {
    await page.locator('article').first().getByRole('button', { name: 'Copy with citations' }).click();
    await page.getByText('Copied, with citations.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, new RegExp(`^\\[1\\] .*${path.basename(SOURCE)}:\\d+: “${PROOF}”$`, 'm'));
  });

  it('says which passages moved and which are gone, without being asked', async () => {
    const moved = page.locator('article').nth(0);
    const gone = page.locator('article').nth(1);
    assert.equal(await page.locator('.state-moved, .state-withdrawn').count(), 0);
    const began = Date.now();
    change(SOURCE, PROOF, `A new line comes first.\n\n${PROOF}`);
    await moved.locator('.state-moved').waitFor();
    const first = Date.now() - began;
    change('lease.md', LEASE_SENTENCE, 'Nothing is known of the end.');
    await gone.locator('.state-withdrawn').first().waitFor();
    console.log(`shown after ${first} and ${Date.now() - began - first} ms`);
    await moved.scrollIntoViewIfNeeded();
    await shot(page, 'drift');
    await moved.locator('.card-open').first().click();
    assert.equal(await page.locator('.source mark').innerText(), PROOF);
    await gone.locator('.card-open').first().click();
    await page.getByText('The passage is no longer in this document').waitFor();
    await page.keyboard.press('Escape');
    change('lease.md', 'Nothing is known of the end.', LEASE_SENTENCE);
    await gone.locator('.state-withdrawn').first().waitFor({ state: 'detached' });
  });

  it('says of a fact that it was proven, where its only quote is gone, and that it is so where it is back', async () => {
    const article = page.locator('article').nth(2);
    await article.locator('.need-covered').waitFor();
    change('harbours.csv', 'Bell, Ada', 'Reed, Jo');
    await article.locator('.need-gone', { hasText: 'was proven; its quote is gone' }).waitFor();
    assert.equal(await article.locator('.need-covered').count(), 0);
    await article.scrollIntoViewIfNeeded();
    await shot(page, 'fact-gone');
    change('harbours.csv', 'Reed, Jo', 'Bell, Ada');
    await article.locator('.need-covered').waitFor();
  });

  it('looks the sources of one answer up when that is asked for, of all by a key, and none of itself', async () => {
    const asked = requestsOf(page, 'lens/recheck');
    const looked = () => new Set(asked.map(({ uri }) => uri)).size;
    await page.locator('article').nth(0).getByRole('button', { name: 'Check sources again' }).click();
    await page.getByText(/citations? checked: 1 changed/).waitFor();
    assert.match(asked[0].uri, /^file:.*how-many-questions-run.*\.md$/);
    assert.equal(looked(), 1);
    await shortcut(page, 'r');
    const count = await page.locator('article').count();
    await waitUntil(() => looked() === count);
    // A look makes the program look, too: what it says of that must not make the page look once more, for ever.
    await ask(page, 'What is the rent of the boathouse in 2026?');
    const end = asked.length;
    await ask(page, 'How many berths has Wick?');
    assert.ok(asked.length <= end + 2, `${asked.length - end} looks`);
  });

  it('complains of nothing', () => {
    assert.deepEqual(window.complaints, []);
  });
});

/** The params of each request of a kind from now on. */
function requestsOf(page, method) {
  const seen = [];
  page.on('request', (request) => {
    const body = request.url().endsWith('/api/rpc') ? request.postDataJSON() : null;
    if (body?.method === method) seen.push(body.params);
  });
  return seen;
}

async function waitUntil(holds) {
  const end = Date.now() + PATIENCE;
  while (!holds()) {
    assert.ok(Date.now() < end, 'it never came');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
