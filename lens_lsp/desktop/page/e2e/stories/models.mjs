/** A model: it streams, is stopped, costs, and is asked only after the user said so. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { ask, Desktop, shortcut, shot, Window } from '../desktop.mjs';
import { corpus, Endpoint, emptied, PROOF, QUESTION } from '../rig.mjs';

const WORDS = 'Four questions are worked on at the same time, and sixty-four more wait for their turn [1].';

const STOPPED_WITHIN = 200;

/** Stops the question; gives the milliseconds until it is, in the page itself: the driver's own way is not the user's. */
function stopped(page) {
  return page.evaluate(async () => {
    const stop = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Stop');
    const began = performance.now();
    stop.click();
    while (document.querySelector('.turn-cancelled .ending') === null) await new Promise(requestAnimationFrame);
    return performance.now() - began;
  });
}

/** Has the page note what has the focus in the moment in which its dialog goes. */
function noteFocus(page) {
  return page.evaluate(() => {
    new MutationObserver((_, seen) => {
      if (document.querySelector('dialog') !== null) return;
      document.body.dataset.focused = document.activeElement?.getAttribute('title') ?? '';
      seen.disconnect();
    }).observe(document.body, { childList: true, subtree: true });
  });
}

/** Settings of a model, as the user's file has them; a million tokens cost so much. */
function model(baseUrl) {
  return `[model]\nbaseUrl = "${baseUrl}"\nname = "story"\nprices = { in = 2.0, out = 8.0 }\n`;
}

describe('a model on this machine', () => {
  const dir = emptied('models');
  const folder = corpus(dir);
  let endpoint;
  let desktop;
  let window;
  let page;

  before(async () => {
    endpoint = await Endpoint.start({ quote: PROOF, value: '4 and 64', answer: WORDS });
    desktop = await Desktop.start(dir, [folder], { settings: model(endpoint.baseUrl) });
    window = await Window.open();
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
    await endpoint?.stop();
  });

  it('is named before anything is asked', async () => {
    await page.getByText('story on this machine words the answer').waitFor();
  });

  it('shows what would be sent, and sends nothing for that', async () => {
    await page.locator('#question').fill(QUESTION);
    await page.getByRole('button', { name: 'Preview what would be sent' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.message').first().waitFor();
    assert.match(await dialog.innerText(), new RegExp(endpoint.host));
    await shot(page, 'preview');
    await noteFocus(page);
    await page.keyboard.press('Escape');
    const focused = await page.locator('body[data-focused]').getAttribute('data-focused');
    assert.equal(focused, 'Preview what would be sent', 'or what is typed at once goes astray');
    assert.equal(endpoint.stages.length, 0);
  });

  it('streams: passages and words are there before the answer ends, its proof once it did', async () => {
    endpoint.hold();
    await page.locator('#question').press('Enter');
    const turn = page.locator('article').first();
    await turn.locator('.card').first().waitFor();
    await turn.getByText('Four questions are worked').waitFor();
    await turn.getByText('These words are being checked.').waitFor();
    assert.equal(await turn.locator('.need-covered').count(), 0);
    assert.equal(await turn.getAttribute('aria-busy'), 'true');
    assert.equal(await turn.getByText('wait for their turn').count(), 0);
    await shot(page, 'streaming');
    endpoint.release();
    await turn.getByText('wait for their turn').waitFor();
    await turn.locator('.need-covered').waitFor();
    await turn.locator('.card:not(.early)', { hasText: PROOF }).first().waitFor();
    await turn.locator('.cite').first().waitFor();
  });

  it('says what was sent and what it cost, for this question and in the ledger', async () => {
    const turn = page.locator('article').first();
    await turn
      .locator('.account')
      .getByText('passages sent to')
      .or(turn.getByText('passage sent to'))
      .first()
      .waitFor();
    assert.match(await turn.locator('.account').innerText(), /calls? · [\d,]+ tokens · cost 0\.\d+/);
    await turn.getByText('How this was found').click();
    await turn.locator('.sent-places button').first().waitFor();
    await page.getByRole('link', { name: 'What was sent' }).click();
    const row = page.locator('.ledger tbody tr').first();
    await row.waitFor();
    assert.match(await row.innerText(), new RegExp(endpoint.host));
    await row.getByRole('button').click();
    await page.locator('.entry-places li').first().waitFor();
    await shot(page, 'sent');
    await page.locator('.entry-places button').first().click();
    await page.locator('.source mark').first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('is left alone when the question is stopped: within 200 ms, and all that was found stays', async () => {
    endpoint.hold();
    await shortcut(page, 'n');
    await page.locator('#question').fill('Do four questions run at a time, and how many wait?');
    await page.keyboard.press('Enter');
    const turn = page.locator('article').first();
    await turn.getByText('Four questions are worked').waitFor();
    const found = await turn.locator('.card blockquote').allInnerTexts();
    const took = [await stopped(page)];
    await endpoint.hungUp;
    const holds = async (where, { checked = true } = {}) => {
      await turn.getByText('Stopped. This is what was found until then.').waitFor();
      await turn.locator('.account').getByText('sent to').waitFor(); // what left for it is told, as of any other
      assert.match(await turn.locator('.prose').innerText(), /^Four questions are worked.*…$/s, where);
      await turn.getByText('These words were not checked').waitFor();
      const shown = await turn.locator('.card blockquote').allInnerTexts();
      for (const quote of found) assert.ok(shown.includes(quote), `${where}: ${quote}`);
      assert.equal(new Set(shown).size, shown.length, where);
      if (checked) await turn.locator('.state-verified').first().waitFor();
      assert.ok(await turn.locator('.card-open').first().isEnabled(), where);
    };
    await holds('at once');
    await shot(page, 'stopped');
    await page.reload();
    await holds('after a reload');
    assert.equal(await page.locator('article').count(), 1);
    endpoint.release();
    await turn.getByRole('button', { name: 'Ask again' }).click();
    await page.locator('article').nth(1).getByText('wait for their turn').waitFor();
    assert.equal(await turn.getByText('Stopped. This is what was found until then.').count(), 1);
    await page.reload();
    // Of an answer that was kept, a model's words are not: quotes hold it.
    await page.locator('article').nth(1).locator('.card', { hasText: PROOF }).first().waitFor();
    assert.equal(await page.locator('article').count(), 2);
    // Its file is that of the later answer now, and what proved nothing is in no cluster: nobody looks it up any more.
    await holds('before what was asked later', { checked: false });
    for (const more of ['How many further questions wait for their turn?', 'How many questions may run at a time?']) {
      endpoint.hold();
      await shortcut(page, 'n');
      await page.locator('#question').fill(more);
      await page.keyboard.press('Enter');
      await page.locator('article').getByText('Four questions are worked').waitFor();
      took.push(await stopped(page));
      endpoint.release();
    }
    console.log(`stopped after ${took.map(Math.round).join(', ')} ms`);
    assert.ok(took.sort((a, b) => a - b)[1] < STOPPED_WITHIN, 'in the median');
  });

  it('goes on while the page is reloaded, and is there afterwards', async () => {
    endpoint.hold();
    await shortcut(page, 'n');
    await page.locator('#question').fill('How many questions wait in the queue when four run at a time?');
    await page.keyboard.press('Enter');
    await page.locator('article').getByText('Four questions are worked').waitFor();
    await page.reload();
    const turn = page.locator('article').first();
    await turn.getByText('Four questions are worked').waitFor();
    assert.equal(await turn.getAttribute('aria-busy'), 'true');
    endpoint.release();
    await turn.getByText('wait for their turn').waitFor();
    assert.equal(await page.locator('article').count(), 1);
  });

  it('does not disturb a question of another tab', async () => {
    endpoint.hold();
    await shortcut(page, 'n');
    await page.locator('#question').fill('Which number of questions may run at a time, and which may wait?');
    await page.keyboard.press('Enter');
    await page.locator('article').getByText('Four questions are worked').waitFor();
    const other = await window.tab(desktop.origin);
    await other.locator('select').last().selectOption('evidence');
    const turn = await ask(other, QUESTION);
    await turn.locator('.cite').first().waitFor();
    assert.equal(await page.locator('article').getAttribute('aria-busy'), 'true');
    assert.equal(await page.locator('article').count(), 1);
    endpoint.release();
    await page.locator('article').getByText('wait for their turn').waitFor();
    await other.close();
  });

  it('complains of nothing', () => {
    assert.deepEqual(window.complaints, []);
  });
});

describe('a model elsewhere', () => {
  const HOST = 'https://models.invalid';
  const dir = emptied('consent');
  const folder = corpus(dir);
  let desktop;
  let window;
  let page;

  before(async () => {
    desktop = await Desktop.start(dir, [folder], { settings: model(`${HOST}/v1`) });
    window = await Window.open();
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
  });

  const prompt = async (question) => {
    await page.locator('#question').fill(question);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    return dialog;
  };

  it('is asked only after a dialog that names it, and never when that is closed', async () => {
    await page.getByText(`You are asked before the first passage goes to ${HOST}`).waitFor();
    const dialog = await prompt(QUESTION);
    assert.match(await dialog.getByRole('heading').innerText(), /models\.invalid/);
    await shot(page, 'consent');
    await page.keyboard.press('Escape');
    await page.locator('article').last().getByText('Nothing was sent, and the question was not answered.').waitFor();
  });

  it('is not asked where rules are to answer', async () => {
    const dialog = await prompt('How many questions are there at a time?');
    await dialog.getByRole('button', { name: 'Evidence only' }).click();
    await page.locator('article').last().getByText('Nothing left this machine').waitFor();
  });

  it('is tried where that was allowed, and its failure is told', async () => {
    const dialog = await prompt('How many questions run together?');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.locator('article').last().getByText('The model gave no answer').waitFor();
  });
});
