/** The desktop as a home: it teaches, folders come and go while it runs, and it is as it was when it is started again. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

import { ask, Desktop, shortcut, shot, Window } from '../desktop.mjs';
import { CookieServer, Neighbour } from '../neighbour.mjs';
import { corpus, emptied } from '../rig.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const MILL = 'The mill at Fenby was built in 1881.';
const MILL_QUESTION = 'When was the mill at Fenby built?';
const LEASE_QUESTION = 'When does the lease of the boathouse end?';

/** The faults that axe-core calls serious or critical, and what is wider than the window. */
async function faults(page) {
  await page.evaluate(() => globalThis.axe ?? null).then((there) => there ?? page.addScriptTag({ path: AXE }));
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    const found = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const wide = document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : [];
    return [...found.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), ...wide];
  });
}

/** What a browser hands the page when something of this name is dropped on it. */
async function drop(page, name) {
  const carried = await page.evaluateHandle((called) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['what is in it'], called));
    return transfer;
  }, name);
  await page.dispatchEvent('main', 'dragover', { dataTransfer: carried });
  await page.dispatchEvent('main', 'drop', { dataTransfer: carried });
}

/** A PDF of one page that is a picture alone. */
function scanned() {
  const stream = (head, data) => `<<${head}/Length ${data.length}>>stream\n${data}\nendstream`;
  const picture = '/Type/XObject/Subtype/Image/Width 8/Height 8/ColorSpace/DeviceGray/BitsPerComponent 8';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</I 4 0 R>>>>/Contents 5 0 R>>',
    stream(picture, 'x'.repeat(64)),
    stream('', 'q 612 0 0 792 0 0 cm /I Do Q'),
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = text.length;
  text += `xref\n0 6\n0000000000 65535 f \n${places.join('')}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${table}\n%%EOF\n`;
  return text;
}

describe('a home', () => {
  const dir = emptied('home');
  const folder = corpus(dir);
  const mills = path.join(dir, 'home', 'Documents', 'mills');
  let desktop;
  let window;
  let page;

  before(async () => {
    mkdirSync(mills, { recursive: true });
    writeFileSync(path.join(mills, 'fenby.md'), `# Mills\n\n${MILL}\n`);
    writeFileSync(path.join(mills, 'wick.md'), '# Wick\n\nNothing is known of the mill at Wick.\n');
    desktop = await Desktop.start(dir, [folder]);
    window = await Window.open({ bypassCSP: true });
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
  });

  const chip = (name) => page.locator('.chip', { hasText: name });

  it('teaches what can be asked, and begins it', async () => {
    await page.getByRole('heading', { name: 'Three things to try' }).waitFor();
    assert.equal(await page.locator('.tries button').count(), 3);
    assert.deepEqual(await faults(page), []);
    await shot(page, 'home');
    await page.getByRole('button', { name: 'List files' }).click();
    await page.waitForFunction(() => document.activeElement?.id === 'question');
    await page.keyboard.type('boathouse');
    assert.equal(await page.locator('#question').inputValue(), 'Which files mention “boathouse”?');
    await page.keyboard.press('Enter');
    const turn = page.locator('article').first();
    await turn.and(page.locator('[aria-busy=false]')).waitFor();
    await turn.locator('.card', { hasText: 'lease.md' }).first().waitFor();
    await shortcut(page, 'n');
  });

  it('has a folder added by its path, which is completed, and asked at once', async () => {
    await page.getByRole('button', { name: 'Add a folder…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a folder or a file' });
    await dialog.getByRole('button', { name: '~/Documents' }).waitFor(); // before anything is typed
    await page.keyboard.type('~/Doc');
    await dialog.getByRole('button', { name: '~/Documents' }).click();
    await dialog.getByRole('button', { name: '~/Documents/mills' }).waitFor();
    assert.deepEqual(await faults(page), []);
    await shot(page, 'home-add');
    await dialog.getByRole('button', { name: '~/Documents/mills' }).click();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await chip('mills').waitFor();
    const turn = await ask(page, MILL_QUESTION);
    await turn.locator('.card', { hasText: MILL }).first().waitFor();
    await turn.locator('.card-place', { hasText: 'mills/fenby.md' }).first().waitFor(); // of two folders, which
  });

  it('says why a path cannot be added', async () => {
    await shortcut(page, 'n');
    await page.getByRole('button', { name: 'Add a folder…' }).click();
    await page.keyboard.type('~/Documents/none');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not exist').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.chip').count(), 2);
  });

  it('has a folder closed, which is then among those of before and is opened again by a click', async () => {
    await page.getByRole('button', { name: 'Stop searching mills' }).click();
    await chip('mills').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Opened before' }).waitFor();
    assert.deepEqual(await faults(page), []);
    await page.locator('.notice').waitFor({ state: 'detached' });
    await shot(page, 'home-recent');
    await page.locator('.reopen', { hasText: 'mills' }).click();
    await chip('mills').waitFor();
    await page.locator('.reopen').waitFor({ state: 'detached' });
  });

  it('says what a drop can do, stores nothing, and finds the place by the name', async () => {
    await page.getByRole('button', { name: 'Stop searching mills' }).click();
    await chip('mills').waitFor({ state: 'detached' });
    const sent = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await drop(page, 'mills');
    const dialog = page.getByRole('dialog', { name: 'Add a folder or a file' });
    await dialog.getByText('Nothing was uploaded or stored.').waitFor();
    await dialog.getByRole('button', { name: mills }).waitFor();
    assert.deepEqual(await faults(page), []);
    await shot(page, 'home-drop');
    await dialog.getByRole('button', { name: mills }).click();
    await chip('mills').waitFor();
    assert.ok(sent.some((body) => body.includes('mills')));
    assert.ok(sent.every((body) => !body.includes('what is in it')));
  });

  it('asks one file alone when that was added', async () => {
    await page.getByRole('button', { name: 'Add a folder…' }).click();
    await page.keyboard.type('~/Documents/mills/wick.md');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Only wick.md' }).waitFor({ state: 'attached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const turn = await ask(page, MILL_QUESTION);
    assert.equal(await turn.locator('.card', { hasText: MILL }).count(), 0);
    await page.locator('select').first().selectOption('everything');
  });

  it('goes back and forth between the threads of two folders and the views', async () => {
    await shortcut(page, 'n');
    await page.locator('select').first().selectOption({ label: 'mills' });
    await ask(page, 'In which year was the mill at Fenby built?');
    await shortcut(page, 'n');
    await page.locator('select').first().selectOption({ label: 'docs' });
    await ask(page, LEASE_QUESTION);
    await page.getByRole('link', { name: 'Knowledge map' }).click();
    await page.getByRole('heading', { name: 'Knowledge map' }).waitFor();
    await page.goBack();
    await page.locator('article h1', { hasText: LEASE_QUESTION }).waitFor();
    await page.goBack(); // the empty page that it was asked on
    await page.getByRole('heading', { name: 'Three things to try' }).waitFor();
    await page.goBack();
    await page.locator('article h1', { hasText: 'In which year' }).waitFor();
    for (let step = 0; step < 2; step += 1) await page.goForward();
    await page.locator('article h1', { hasText: LEASE_QUESTION }).waitFor();
    await page.goForward();
    await page.getByRole('heading', { name: 'Knowledge map' }).waitFor();
  });

  it('is at the same address when it is started again, where it was left, and looks as it was chosen', async () => {
    await page.goto(`${desktop.origin}/#/settings`);
    await page.getByLabel('Appearance').selectOption('dark');
    const { origin } = desktop;
    await desktop.stop();
    await page.getByText('Lens does not answer').waitFor();
    await desktop.run();
    assert.equal(desktop.origin, origin);
    const opened = await window.context.newPage();
    await opened.goto(desktop.link);
    await opened.getByRole('heading', { name: 'Settings' }).waitFor();
    assert.equal(opened.url(), page.url());
    await opened.close();
    await page.goto(`${desktop.origin}/#/`); // a tab of before: the fragment alone is another one
    await page.getByRole('heading', { name: 'Three things to try' }).waitFor();
    await page.getByText('Lens does not answer').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.locator('.reopen', { hasText: 'mills' }).waitFor(); // it was started with the other one alone
    assert.equal(await page.locator('select').first().inputValue(), `folder ${pathToFileURL(folder).href}`);
    assert.deepEqual(await faults(page), []);
    await shot(page, 'home-dark');
  });

  it('forgets a folder of before', async () => {
    await page.getByRole('button', { name: 'Take mills off this list' }).click();
    await page.locator('.reopen').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Three things to try' }).waitFor();
    assert.equal(await page.locator('.reopen').count(), 0);
  });

  it('speaks Chinese', async () => {
    const other = await Window.open({ locale: 'zh-CN', storageState: await window.context.storageState() });
    const tab = await other.tab(desktop.origin);
    await tab.getByRole('heading', { name: '三件可以试试的事' }).waitFor();
    await tab.getByRole('button', { name: '添加文件夹…' }).click();
    await tab.getByRole('dialog', { name: '添加文件夹或文件' }).waitFor();
    await shot(tab, 'home-zh');
    await tab.keyboard.press('Escape');
    await tab.goto(`${desktop.origin}/#/settings`);
    await tab.getByText(/^当前：/).waitFor(); // whether scans are recognised
    await shot(tab, 'settings-zh');
    await tab.getByLabel('语言').selectOption('English');
    await tab.getByRole('heading', { name: 'Settings' }).waitFor();
    await tab.reload();
    await tab.getByRole('heading', { name: 'Settings' }).waitFor();
    await tab.getByLabel('Language').selectOption('As the browser');
    await tab.getByRole('heading', { name: '设置' }).waitFor();
    await other.close();
  });

  it('fits into 400 pixels', async () => {
    const narrow = { width: 400, height: 800 };
    const other = await Window.open({
      viewport: narrow,
      bypassCSP: true,
      storageState: await window.context.storageState(),
    });
    const tab = await other.tab(desktop.origin);
    await tab.getByRole('heading', { name: 'Three things to try' }).waitFor();
    assert.deepEqual(await faults(tab), []);
    await shot(tab, 'home-narrow');
    await other.close();
  });
});

describe('sources', () => {
  const dir = emptied('home-sources');
  const folder = corpus(dir);
  const papers = path.join(dir, 'papers');
  let desktop;
  let window;
  let page;

  before(async () => {
    mkdirSync(papers, { recursive: true });
    writeFileSync(path.join(papers, 'fenby.md'), `# Mills\n\n${MILL}\n`);
    writeFileSync(path.join(papers, 'mills.csv'), 'mill,owner\nFenby,Tom Osei\n');
    writeFileSync(path.join(papers, 'broken.pdf'), '%PDF-1.4\nnothing of a document');
    writeFileSync(path.join(papers, 'scan.pdf'), scanned());
    writeFileSync(path.join(papers, '.env'), 'KEY=1\n');
    // Text on scans is not recognised here, whatever is installed.
    desktop = await Desktop.start(dir, [folder, papers], { settings: '[documents]\nocr = "off"\n' });
    window = await Window.open({ bypassCSP: true });
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
  });

  const source = (name) => page.locator('.source-folder', { hasText: name });

  it('say what is read, what needs OCR, and what cannot be read and why', async () => {
    await page.getByRole('link', { name: 'Sources' }).click();
    const state = source('papers').locator('.source-state');
    await state.getByText(/^2 of \d files read\.$/).waitFor();
    await state.getByText('1 scanned document needs OCR.').waitFor();
    await state.getByText('1 file skipped: damaged.').click();
    await state.getByText('broken.pdf').waitFor();
    await state.getByText('1 file skipped: may hold secrets.').waitFor();
    assert.deepEqual(await faults(page), []);
    await shot(page, 'sources');
  });

  it('are named below an answer where they were not read, with the reason', async () => {
    await page.goto(`${desktop.origin}/#/`);
    const turn = await ask(page, MILL_QUESTION);
    await turn.getByText('2 files not read').click();
    const named = turn.locator('.not-read li');
    assert.match(await named.nth(0).innerText(), /broken\.pdf – damaged$/);
    assert.match(await named.nth(1).innerText(), /scan\.pdf – pictures alone, without a text$/);
    assert.deepEqual(await faults(page), []);
    await shot(page, 'not-read');
    await page.goto(`${desktop.origin}/#/sources`);
  });

  it('are asked by folder, which stays chosen', async () => {
    await page.getByRole('checkbox', { name: 'papers' }).uncheck();
    assert.ok(await page.getByRole('checkbox', { name: 'docs' }).isDisabled()); // one is asked at least
    await page.reload();
    assert.ok(!(await page.getByRole('checkbox', { name: 'papers' }).isChecked()));
    await page.goto(`${desktop.origin}/#/`);
    await page.getByRole('option', { name: 'Chosen sources' }).waitFor({ state: 'attached' });
    const turn = await ask(page, MILL_QUESTION);
    assert.equal(await turn.locator('.card', { hasText: MILL }).count(), 0);
    await page.goto(`${desktop.origin}/#/sources`);
    await page.getByRole('checkbox', { name: 'papers' }).check();
  });

  it('are asked by kind of file', async () => {
    await page.getByRole('checkbox', { name: /^Notes and text/ }).uncheck();
    await page.goto(`${desktop.origin}/#/`);
    const without = await ask(page, 'In which year was the mill at Fenby built?');
    assert.equal(await without.locator('.card', { hasText: MILL }).count(), 0);
    await page.goto(`${desktop.origin}/#/sources`);
    await page.getByRole('checkbox', { name: /^Notes and text/ }).check();
    await page.goto(`${desktop.origin}/#/`);
    const turn = await ask(page, 'What was the year in which the mill at Fenby was built?');
    await turn.locator('.card', { hasText: MILL }).first().waitFor();
  });
});

describe('models of this machine', () => {
  const OLLAMA = 11434;
  const dir = emptied('home-models');
  const folder = corpus(dir);
  let desktop;
  let window;
  let page;
  let program;

  before(async () => {
    desktop = await Desktop.start(dir, [folder]);
    window = await Window.open({ bypassCSP: true });
    page = await window.tab(desktop.link);
    program = await new Promise((resolve, reject) => {
      const asked = [];
      const server = createServer(async (request, response) => {
        const parts = [];
        for await (const part of request) parts.push(part);
        asked.push(`${request.url} ${Buffer.concat(parts)}`);
        const models = { data: [{ id: 'small:1b' }, { id: '<b>large</b>' }] };
        const reply = { choices: [{ message: { content: 'ready' } }] };
        response.end(JSON.stringify(request.method === 'GET' ? models : reply));
      });
      server.once('error', reject).listen(OLLAMA, '127.0.0.1', () => resolve({ server, asked }));
    });
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
    program?.server.closeAllConnections();
    program?.server.close();
  });

  it('are found, tried with a word of ours, and kept in the file of the user once that was agreed to', async () => {
    const file = path.join(desktop.home, '.config/lens-lsp/config.toml');
    await page.goto(`${desktop.origin}/#/settings`);
    await page.getByRole('button', { name: 'Look for models' }).click();
    const found = page.getByRole('region', { name: 'Ollama' });
    await found.getByText('small:1b').waitFor();
    await found.getByText('<b>large</b>').waitFor(); // a text, whatever a program calls its models
    await found.getByRole('button', { name: 'Test small:1b' }).click();
    await found.getByText(/It replied “ready” after/).waitFor();
    assert.deepEqual(await faults(page), []);
    await shot(page, 'local-models');
    await found.getByRole('button', { name: 'Use small:1b' }).click();
    const dialog = page.getByRole('dialog', { name: 'May text go to this address?' });
    assert.ok(!existsSync(file) || !readFileSync(file, 'utf8').includes('small:1b'));
    await dialog.getByRole('button', { name: 'Use this address' }).click();
    await found.locator('[aria-current=true]', { hasText: 'In use' }).waitFor();
    const text = readFileSync(file, 'utf8');
    assert.match(text, /baseUrl = "http:\/\/127\.0\.0\.1:11434\/v1"/);
    assert.match(text, /name = "small:1b"/);
    const trials = program.asked.filter((each) => each.startsWith('/v1/chat/completions'));
    assert.deepEqual(
      trials.map((each) => JSON.parse(each.slice(each.indexOf(' '))).messages),
      [[{ role: 'user', content: 'Reply with one word: ready' }]],
    );
    await page.goto(`${desktop.origin}/#/`);
    await page.getByText('small:1b on this machine words the answer').waitFor();
  });

  it('are offered where an address is kept without a name, and what is missing is said', async () => {
    await page.goto(`${desktop.origin}/#/settings`);
    await page.locator('[name="model.name"]').fill('');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('No model is used yet: http://127.0.0.1:11434/v1 has several.').waitFor();
    await shot(page, 'models-of-an-address');
    await page.getByRole('button', { name: 'Use small:1b' }).click();
    await page.getByText('Saved. small:1b is used from now on.').waitFor();
    assert.equal(await page.locator('[name="model.name"]').inputValue(), 'small:1b');
    await page.getByLabel('Address').fill('http://localhost:9/v1');
    await page.locator('[name="model.name"]').fill('');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByText('the name is missing, and http://localhost:9/v1 gives no list of models').waitFor();
    await shot(page, 'models-of-no-address');
  });
});

describe('a page of another site', () => {
  const dir = emptied('home-hostile');
  const folder = corpus(dir);
  const target = path.join(dir, 'secret-papers');
  let desktop;
  let window;
  let page;
  let neighbour;

  before(async () => {
    mkdirSync(target, { recursive: true });
    desktop = await Desktop.start(dir, [folder]);
    window = await Window.open();
    page = await window.tab(desktop.link);
    neighbour = await Neighbour.start(desktop.origin);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
    await neighbour?.stop();
  });

  /** Tries to have a folder opened at an address, in every way that a page has; gives what came back. */
  const attempt = (tab, to) =>
    tab.evaluate(
      async ([address, place]) => {
        const body = JSON.stringify({ path: place });
        const kinds = [undefined, 'text/plain', 'application/json', 'application/x-www-form-urlencoded'];
        const tries = kinds.flatMap((kind) =>
          ['cors', 'no-cors', 'same-origin'].map((mode) =>
            fetch(`${address}/api/folders`, {
              method: 'POST',
              mode,
              credentials: 'include',
              body,
              ...(kind !== undefined && { headers: { 'Content-Type': kind } }),
            }).then(
              ({ status }) => status,
              () => 'refused',
            ),
          ),
        );
        navigator.sendBeacon(`${address}/api/folders`, new Blob([body], { type: 'text/plain' }));
        const sink = document.body.appendChild(Object.assign(document.createElement('iframe'), { name: 'sink' }));
        const form = document.body.appendChild(document.createElement('form'));
        Object.assign(form, {
          method: 'post',
          action: `${address}/api/folders`,
          enctype: 'text/plain',
          target: 'sink',
        });
        form.append(Object.assign(document.createElement('input'), { name: body.slice(0, -1), value: '}' }));
        const loaded = new Promise((resolve) => sink.addEventListener('load', resolve, { once: true }));
        form.submit();
        await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, 3000))]);
        return Promise.all(tries);
      },
      [to, target],
    );

  const opened = () => page.evaluate(() => [...document.querySelectorAll('.chip')].map((each) => each.textContent));

  it('adds no folder, whatever it sends', async () => {
    for (const origin of neighbour.origins) {
      const tab = await window.context.newPage();
      await tab.goto(`${origin}/elsewhere`);
      const came = await attempt(tab, desktop.origin);
      assert.ok(
        came.every((each) => each === 'refused' || each === 0 || each >= 400),
        came.join(),
      );
      await tab.close();
    }
    await page.reload();
    await page.locator('.chip').first().waitFor();
    assert.deepEqual(await opened(), ['docs']);
  });

  it('would, with the key and from our own page', async () => {
    const status = await page.evaluate(async (place) => {
      const headers = {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${localStorage.getItem('lens.key')}`,
      };
      return (await fetch('/api/folders', { method: 'POST', headers, body: JSON.stringify({ path: place }) })).status;
    }, target);
    assert.equal(status, 201);
    await page.locator('.chip', { hasText: 'secret-papers' }).waitFor(); // without a reload: the page is told
  });

  it('does reach a server that lets in who has a cookie', async () => {
    const own = await CookieServer.start();
    const tab = await window.context.newPage();
    await tab.goto(own.origin);
    await tab.goto(`${neighbour.origins[0]}/elsewhere`);
    await attempt(tab, own.origin);
    assert.ok(own.admitted > 0);
    await tab.close();
    await own.stop();
  });
});
