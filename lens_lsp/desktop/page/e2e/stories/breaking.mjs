/** Browser, connection, language server and program are each broken at each step of a question: what was stored stays. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';

import { ask, Desktop, PATIENCE, shortcut, Window } from '../desktop.mjs';
import { corpus, Endpoint, emptied, PROOF, QUESTION } from '../rig.mjs';

const WORDS = 'Four questions are worked on at the same time, and sixty-four more wait for their turn [1].';
const FIRST = 'Four questions are worked';
const LAST = 'wait for their turn';

/** When something breaks: as soon as it was asked, when passages are found, among the words, and afterwards. */
const STEPS = {
  asked: async () => {},
  found: (turn) => turn.locator('.card').first().waitFor(),
  'half worded': (turn) => turn.getByText(FIRST).waitFor(),
  answered: async (turn, endpoint) => {
    endpoint.release();
    await turn.getByText(LAST).waitFor();
    await turn.and(turn.page().locator('[aria-busy=false]')).waitFor();
  },
};

/** The process that answers for a program. */
function serverOf(desktop) {
  const told = execFileSync('ps', ['--ppid', String(desktop.child.pid), '-o', 'pid=,args='], { encoding: 'utf8' });
  const [, pid] = /^\s*(\d+) .*\bserve\b/m.exec(told) ?? [];
  assert.ok(pid, `no server among:\n${told}`);
  return Number(pid);
}

describe('whatever breaks', () => {
  const dir = emptied('breaking');
  const folder = corpus(dir);
  const stored = [QUESTION];
  let endpoint;
  let desktop;
  let window;
  let page;

  const enter = async (link) => {
    window = await Window.open();
    page = await window.tab(link);
  };
  /** A second program of the same user and its page; `within` is done with these. */
  const elsewhere = async (within) => {
    const second = new Desktop(desktop.home, [folder], {});
    await second.run();
    const other = await Window.open();
    try {
      await within(await other.tab(second.link));
    } finally {
      await other.close();
      await second.stop();
    }
  };

  before(async () => {
    endpoint = await Endpoint.start({ quote: PROOF, value: '4 and 64', answer: WORDS });
    const settings = `[model]\nbaseUrl = "${endpoint.baseUrl}"\nname = "story"\n`;
    desktop = await Desktop.start(dir, [folder], { settings });
    await enter(desktop.link);
    await ask(page, stored[0]);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
    await endpoint?.stop();
  });

  /** Asks in a new thread and stands still at a step; gives the question and its article. */
  const until = async (step, kind) => {
    endpoint.hold();
    await page.keyboard.press('Escape');
    await shortcut(page, 'n');
    const question = `When the ${kind} breaks once it is ${step}: do four questions run at a time and sixty-four wait?`;
    await page.locator('#question').fill(question);
    // Before it is sent there is nothing that could be broken.
    const sent = page.waitForResponse((each) => each.url().endsWith('/api/asks') && each.request().method() === 'POST');
    await page.locator('#question').press('Enter');
    await sent;
    const turn = page.locator('article').first();
    await turn.getByText(question).first().waitFor();
    await STEPS[step](turn, endpoint);
    if (step === 'answered') stored.push(question);
    return { question, turn };
  };
  /**
   * Every stored answer is among the threads of a page; the first and the last are opened and have what proves them: the
   * words of a model are kept only as far as quotes hold them.
   */
  const holds = async (where, questions = stored, timeout = PATIENCE) => {
    const thread = (question) => where.locator('.threads a', { hasText: question }).first();
    for (const question of questions) await thread(question).waitFor({ timeout });
    for (const question of new Set([questions[0], questions.at(-1)])) {
      await thread(question).click();
      const article = where.locator('article').filter({ hasText: question });
      await article.locator('.card', { hasText: PROOF }).first().waitFor();
      assert.match(await article.locator('.prose').first().innerText(), /Four questions/);
    }
  };

  for (const step of Object.keys(STEPS)) {
    it(`goes on while the connection is cut when it is ${step}`, async () => {
      const { question, turn } = await until(step, 'connection');
      await window.context.setOffline(true);
      endpoint.release();
      await window.context.setOffline(false);
      await turn.getByText(LAST).waitFor();
      if (step !== 'answered') stored.push(question);
      await page.reload();
      await holds(page);
    });

    it(`goes on when the browser is killed when it is ${step}`, async () => {
      const { question } = await until(step, 'browser');
      await window.kill();
      endpoint.release();
      if (step !== 'answered') stored.push(question);
      await elsewhere(async (other) => {
        // The answer comes to the store when it is there, whoever waits for it.
        for (let look = 0; look < 40; look += 1) {
          await other.reload();
          await other.locator('.threads a').first().waitFor();
          if ((await other.locator('.threads a', { hasText: question }).count()) > 0) break;
        }
        await holds(other);
      });
      await desktop.stop();
      await desktop.run();
      await enter(desktop.link);
    });

    it(`loses nothing when the language server is killed when it is ${step}`, async () => {
      const { turn } = await until(step, 'server');
      process.kill(serverOf(desktop), 'SIGKILL');
      endpoint.release();
      await turn.and(page.locator('[aria-busy=false]')).waitFor();
      await page.reload();
      await holds(page);
    });

    it(`loses nothing when the program is killed when it is ${step}`, async () => {
      await until(step, 'program');
      await desktop.stop('SIGKILL');
      endpoint.release();
      await page.getByText('Lens does not answer').waitFor();
      await desktop.run();
      await page.goto(desktop.link);
      await holds(page);
    });
  }

  it('would tell an answer that is not stored', async () => {
    await assert.rejects(holds(page, ['How many questions were never asked?'], 3_000), /Timeout/);
  });
});
