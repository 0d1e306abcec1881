/** For everybody: no serious fault that axe-core knows, in light and dark, by keyboard alone, and on 400 pixels. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';

import { ask, Desktop, shot, Window } from '../desktop.mjs';
import { corpus, emptied, PROOF, QUESTION } from '../rig.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const NARROW = { width: 400, height: 800 };

/** The faults that axe-core calls serious or critical, in short. */
async function faults(page) {
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      html: nodes.slice(0, 3).map((node) => node.html),
    }));
  });
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}

/** Whether something is wider than the window. */
function overflows(page) {
  return page.evaluate(
    () => document.documentElement.scrollWidth > innerWidth || document.querySelector('main').scrollWidth > innerWidth,
  );
}

/** Buttons that show an icon alone and lack a tooltip or a name. */
function nameless(page) {
  return page.locator('button').evaluateAll((all) =>
    all
      .filter((button) => button.checkVisibility() && button.innerText.trim() === '')
      .filter((button) => !(button.title || button.dataset.tip) || !button.getAttribute('aria-label'))
      .map((button) => button.outerHTML.slice(0, 120)),
  );
}

/** Waits until what a selector finds, or something inside of it, has the focus. */
async function hasFocus(page, selector) {
  const focus = page.locator(`${selector}:focus, ${selector} :focus`).first();
  await focus.waitFor({ state: 'attached' }).catch(async (error) => {
    const has = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
    throw new Error(`${selector} has not the focus; this has it: ${has}`, { cause: error });
  });
}

describe('for everybody', () => {
  const dir = emptied('access');
  const folder = corpus(dir);
  let desktop;

  /** What can be seen, and how to get there. */
  const views = {
    welcome: async (page) => page.goto(`${desktop.origin}/#/`),
    answer: async (page) => {
      const turn = page.locator('article').first();
      await page.locator('.threads a').first().click();
      await turn.locator('.cite').first().waitFor();
      await turn.getByText('How this was found').or(turn.locator('.card').first()).first().waitFor();
    },
    citation: async (page) => {
      await page.locator('.cite').first().focus();
      await page.getByRole('tooltip').waitFor();
    },
    source: async (page) => {
      await page.locator('.card-open').first().click();
      await page.locator('.source mark').waitFor();
    },
    'source-text': async (page) => {
      await page.locator('.source .toggle button').last().click();
      await page.locator('.line mark').waitFor();
    },
    map: async (page) => {
      await page.keyboard.press('Escape');
      await page.goto(`${desktop.origin}/#/map`);
      await page.locator('.node, .cluster-list button').first().waitFor();
    },
    cluster: async (page) => {
      await page.locator('.node .halo, .cluster-list button').first().click();
      await page.locator('.detail').waitFor();
    },
    list: async (page) => {
      await page.getByRole('button', { name: 'List' }).click();
      await page.locator('.cluster-list').waitFor();
    },
    sources: async (page) => {
      await page.goto(`${desktop.origin}/#/sources`);
      await page.locator('.source-state').first().waitFor();
    },
    sent: async (page) => {
      await page.goto(`${desktop.origin}/#/sent`);
      await page.locator('.ledger').waitFor();
    },
    settings: async (page) => {
      await page.goto(`${desktop.origin}/#/settings`);
      await page.locator('form.fields').first().waitFor();
    },
    help: async (page) => {
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  };

  before(async () => {
    desktop = await Desktop.start(dir, [folder]);
    const window = await Window.open();
    const page = await window.tab(desktop.link);
    await ask(page, QUESTION);
    await ask(page, 'When does the lease of the boathouse end?');
    // The others get in by the same key: the link is good once.
    desktop.kept = await window.context.storageState();
    await window.close();
  });
  after(() => desktop?.stop());

  const opened = async (options) => {
    const window = await Window.open({ bypassCSP: true, storageState: desktop.kept, ...options });
    const page = await window.tab(desktop.origin);
    return { window, page };
  };

  for (const colorScheme of ['light', 'dark']) {
    it(`has no serious fault in any view, ${colorScheme}`, async () => {
      const { window, page } = await opened({ colorScheme, reducedMotion: 'reduce' });
      await page.addScriptTag({ path: AXE });
      for (const [name, show] of Object.entries(views)) {
        await show(page);
        await shot(page, `${colorScheme}-${name}`);
        assert.deepEqual(await faults(page), [], `${name}, ${colorScheme}`);
        assert.deepEqual(await nameless(page), [], name);
      }
      await window.close();
    });
  }

  it('would be told of a fault', async () => {
    const { window, page } = await opened({ colorScheme: 'light' });
    await page.addScriptTag({ path: AXE });
    await page.evaluate(() => document.querySelector('#question').removeAttribute('aria-label'));
    await page.evaluate(() => document.querySelector('#question').removeAttribute('placeholder'));
    const told = (await faults(page)).map(({ id }) => id);
    assert.ok(told.includes('label'), told.join());
    await window.close();
  });

  it('fits into 400 pixels in every view', async () => {
    const { window, page } = await opened({ viewport: NARROW });
    for (const [name, show] of Object.entries(views)) {
      if (name === 'answer') await page.getByRole('button', { name: 'Show threads and views' }).click();
      await show(page);
      await shot(page, `narrow-${name}`);
      assert.equal(await overflows(page), false, name);
      assert.deepEqual(await nameless(page), [], name);
    }
    await window.close();
  });

  it('cuts off no word of the question box when the window becomes as narrow as a side bar', async () => {
    const { window, page } = await opened();
    await page.setViewportSize({ width: 191, height: 800 });
    const hidden = () => page.locator('#question').evaluate((box) => box.scrollHeight - box.clientHeight);
    assert.equal(await hidden(), 0);
    await page.locator('#question').fill(QUESTION);
    assert.equal(await hidden(), 0);
    await shot(page, 'side-bar');
    await window.close();
  });

  it('has the focus in the question box when it is opened, unless its address leads to an answer', async () => {
    const { window, page } = await opened();
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await hasFocus(page, '#question');
    await page.locator('.threads a').first().click();
    await page.locator('.cite').first().waitFor();
    await page.reload();
    await page.locator('.cite').first().waitFor();
    assert.notEqual(await focused(), 'question');
    await window.close();
  });

  it('can be used by keyboard alone, from the question to the passage and back', async () => {
    const { window, page } = await opened();
    await hasFocus(page, '#question');
    await page.locator('.skip').focus();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the question');
    await page.keyboard.press('Enter');
    await page.keyboard.type(QUESTION);
    await page.keyboard.press('Enter');
    const turn = page.locator('article').first();
    await turn.and(page.locator('[aria-busy=false]')).waitFor();
    await turn.locator('.cite').first().waitFor();
    const onCitation = () => page.evaluate(() => document.activeElement?.classList.contains('cite'));
    let shows = '';
    for (let steps = 0; !shows.includes(PROOF); steps += 1) {
      assert.ok(steps < 40, 'no citation of the proof is reached');
      await page.keyboard.press('Shift+Tab');
      shows = (await onCitation()) ? await page.getByRole('tooltip').innerText() : '';
    }
    await page.keyboard.press('r');
    await page.getByText(/citations? checked/).waitFor();
    assert.ok(await onCitation(), 'a look at the sources took the focus away');
    await page.keyboard.press('Enter');
    await page.locator('.source mark').waitFor();
    await hasFocus(page, '.source');
    await page.keyboard.press('Escape');
    await hasFocus(page, '.cite');
    await page.keyboard.press('m');
    await page.locator('.node').first().waitFor();
    await page.locator('.node[tabindex="0"]').focus();
    const first = await page.evaluate(() => document.activeElement?.getAttribute('data-id'));
    for (const arrow of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) {
      await page.keyboard.press(arrow);
      if ((await page.evaluate(() => document.activeElement?.getAttribute('data-id'))) !== first) break;
    }
    assert.notEqual(await page.evaluate(() => document.activeElement?.getAttribute('data-id')), first);
    await page.keyboard.press('Enter');
    await page.locator('.detail h2').waitFor();
    await window.close();
  });

  it('tells a screen reader how the search goes, and that the answer is there', async () => {
    const { window, page } = await opened();
    await page.evaluate(() => {
      globalThis.told = [];
      const place = document.querySelector('.sr[role=status]');
      new MutationObserver(() => globalThis.told.push(place.textContent)).observe(place, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    await ask(page, 'How many questions wait?');
    await page.waitForFunction(() => globalThis.told.some((each) => each.startsWith('Answer ready.')));
    const told = await page.evaluate(() => globalThis.told);
    assert.ok(
      told.some((each) => each.startsWith('Searching')) &&
        told.some((each) => /^The answer needs|fact proven/.test(each)),
      told.join(' | '),
    );
    await window.close();
  });

  it('leaves single letters alone where the user does not want them', async () => {
    const { window, page } = await opened();
    await page.goto(`${desktop.origin}/#/settings`);
    await page.getByLabel('Single letters as shortcuts').uncheck();
    await page.locator('main h1').focus();
    await page.keyboard.press('m');
    assert.match(page.url(), /settings/);
    await page.reload();
    await page.locator('main h1').focus();
    await page.keyboard.press('m');
    assert.match(page.url(), /settings/);
    await window.close();
  });
});
