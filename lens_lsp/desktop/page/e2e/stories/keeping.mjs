/** What stays: threads, answers and settings, whatever is closed, reloaded or killed; pictures of pages; the map. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { ask, Desktop, shortcut, shot, Window } from '../desktop.mjs';
import { corpus, emptied, LEASE_SENTENCE, PROOF, QUESTION } from '../rig.mjs';

const KEEL = 'When was the keel of the Arlen ferry laid?';

describe('what stays', () => {
  const dir = emptied('keeping');
  const folder = corpus(dir);
  let desktop;
  let window;
  let page;

  before(async () => {
    desktop = await Desktop.start(dir, [folder]);
    window = await Window.open();
    page = await window.tab(desktop.link);
  });
  after(async () => {
    await window?.close();
    await desktop?.stop();
  });

  /** Drops what was complained of since then where an answer went while its sources were looked at. */
  const forgive = (since) => {
    const complaints = window.complaints.splice(since);
    window.complaints.push(...complaints.filter((each) => !each.includes('status of 422')));
  };

  it('shows the text of a page that cannot be drawn', async () => {
    await ask(page, KEEL); // before the picture was ever there: the browser shows one again without asking
    await page.route('**/api/page?*', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.locator('.card', { hasText: 'ferry.pdf' }).locator('.card-open').first().click();
    await page.getByText('This page cannot be shown as a picture').waitFor();
    await page.locator('.line mark').first().waitFor();
    await page.unroute('**/api/page?*');
    await page.keyboard.press('Escape');
  });

  it('shows the page of a PDF with the passage marked, and its text beside that', async () => {
    await page.locator('.card', { hasText: 'ferry.pdf' }).locator('.card-open').first().click();
    const picture = page.locator('img.page');
    await picture.waitFor();
    await page.waitForFunction(() => document.querySelector('img.page')?.naturalWidth > 300);
    assert.match(await picture.getAttribute('alt'), /^Page 3 of ferry\.pdf/);
    assert.match(await page.locator('.source .card-place').innerText(), /p\. 3/);
    await shot(page, 'pdf');
    await page.locator('.source .toggle button').last().click();
    await page.locator('.line mark').first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('understands a follow-up, and keeps both in one thread', async () => {
    await shortcut(page, 'n');
    await ask(page, 'When does the lease of the boathouse end?');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'question', 'a follow-up is typed at once');
    await ask(page, 'And what is the rent of the boathouse in 2026?');
    assert.equal(await page.locator('article').count(), 2);
    await page.locator('.threads a[aria-current]').getByText('2', { exact: true }).waitFor();
  });

  it('finds the thread again after a reload, with its answers and their evidence', async () => {
    const address = page.url();
    await page.reload();
    await page.locator('article').nth(1).waitFor();
    assert.equal(page.url(), address);
    await page.locator('article').first().locator('.cite').first().waitFor();
    await page.locator('article').first().locator('.state-verified').first().waitFor();
    await page.locator('article').first().getByText('Nothing left this machine').waitFor();
    await page.locator('article').first().locator('.card-open').first().click();
    await page.locator('.source mark').first().waitFor();
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.goBack();
    await page.locator('article h1', { hasText: KEEL }).waitFor();
  });

  it('searches only where it is told to', async () => {
    await shortcut(page, 'n');
    await page.locator('select').first().selectOption('files');
    await page.getByLabel('Pattern of files').fill('lease.md');
    const turn = await ask(page, QUESTION);
    assert.equal(await turn.locator('.card', { hasText: PROOF }).count(), 0);
    await page.locator('select').first().selectOption('everything');
  });

  it('says of an answer that is shown again what became of its sources meanwhile', async () => {
    const beside = await window.tab(desktop.origin);
    for (const tab of [page, beside]) {
      await tab.locator('.threads a', { hasText: 'When does the lease of the boathouse end?' }).click();
      await tab.locator('article').first().locator('.state-verified').first().waitFor();
    }
    await page.locator('.threads a', { hasText: KEEL }).click();
    await page.locator('article h1', { hasText: KEEL }).waitFor();
    const lease = path.join(folder, 'lease.md');
    writeFileSync(lease, readFileSync(lease, 'utf8').replace(LEASE_SENTENCE, 'Nothing is known of the end.'));
    await beside.locator('article').first().locator('.state-withdrawn').first().waitFor(); // both tabs were told
    await beside.close();
    await page.locator('.threads a', { hasText: 'When does the lease of the boathouse end?' }).click();
    await page.locator('article').first().locator('.state-withdrawn').first().waitFor();
  });

  it('draws what is known, fresh and not, and forgets what it is told to', async () => {
    await shortcut(page, 'm');
    const gone = page.getByRole('button', { name: 'When does the lease of the boathouse end?, No longer there' });
    await gone.waitFor();
    assert.ok((await page.getByRole('button', { name: /, Fresh$/ }).count()) > 0);
    const shapes = await page
      .locator('.node path')
      .evaluateAll((all) => new Set(all.map((each) => each.getAttribute('d').replace(/[\d.-]+/g, ''))).size);
    assert.ok(shapes > 1, 'states differ by colour only');
    await gone.locator('.halo').click();
    const detail = page.getByRole('region', { name: 'What is known' });
    await detail
      .getByText(LEASE_SENTENCE.replaceAll('**', '').slice(0, 10))
      .or(detail.locator('blockquote'))
      .first()
      .waitFor();
    await shot(page, 'map');
    await detail.getByRole('button', { name: 'Forget this' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await gone.waitFor({ state: 'detached' });
  });

  it('keeps settings in the file of the user, and refuses what makes no sense', async () => {
    await page.keyboard.press(',');
    await page.getByLabel('Calls', { exact: true }).fill('3');
    await page.getByLabel('How questions are answered').selectOption('evidence');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved.').waitFor();
    const file = path.join(desktop.home, '.config/lens-lsp/config.toml');
    assert.match(readFileSync(file, 'utf8'), /calls = 3/);
    assert.match(readFileSync(file, 'utf8'), /mode = "evidence"/);
    await page.getByLabel('Address').fill('http://models.example/v1');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByRole('alert').waitFor();
    assert.doesNotMatch(readFileSync(file, 'utf8'), /models\.example/);
    await page.reload();
    assert.equal(await page.getByLabel('Calls', { exact: true }).inputValue(), '3');
    await shot(page, 'settings');
  });

  it('asks before a model at another address of this machine is used', async () => {
    const file = path.join(desktop.home, '.config/lens-lsp/config.toml');
    await page.getByLabel('Address').fill('http://localhost:9/v1');
    await page.getByRole('button', { name: 'Save settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'May text go to this address?' });
    await dialog.getByText('http://localhost:9').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.doesNotMatch(readFileSync(file, 'utf8'), /localhost:9/);
    await page.getByRole('button', { name: 'Save settings' }).click();
    await dialog.getByRole('button', { name: 'Use this address' }).click();
    await page.getByText('Saved.').waitFor();
    assert.match(readFileSync(file, 'utf8'), /localhost:9/);
    await page.getByLabel('Address').fill('');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.querySelector('[name="model.baseUrl"]').defaultValue === '');
  });

  it('loses no answer when the program is killed and started again', async () => {
    const complaints = [...window.complaints];
    await desktop.stop('SIGKILL');
    await page.getByText('Lens does not answer').waitFor();
    await desktop.run();
    await page.goto(desktop.link);
    await page.locator('.threads a', { hasText: KEEL }).click();
    await page.locator('article .cite').first().waitFor();
    window.complaints = complaints.filter((each) => !/404|422|400/.test(each));
  });

  it('answers in the eighth tab, too: a browser gives all of them six connections', async () => {
    const tabs = [];
    for (let count = 2; count <= 8; count += 1) tabs.push(await window.tab(desktop.origin));
    const turn = await ask(tabs.at(-1), 'When does the lease of the boathouse end?');
    await turn.locator('.cite').first().waitFor();
    for (const tab of tabs) await tab.close();
  });

  it('says that it needs a link when its key is not good any more, and takes one in the same tab', async () => {
    const complaints = [...window.complaints];
    await page.evaluate(() => localStorage.setItem('lens.key', 'of another program at this port'));
    await page.reload();
    await page.getByText('This page needs its link').waitFor();
    const [, link] = /: (\S+)$/.exec(desktop.said.findLast((line) => line.includes('#token=')));
    await page.evaluate((to) => location.assign(to), link); // the page stays: only the fragment is another one
    await page.getByText('This page needs its link').waitFor({ state: 'detached' });
    await page.locator('.threads a', { hasText: KEEL }).waitFor();
    assert.doesNotMatch(page.url(), /token/);
    window.complaints = complaints;
  });

  it('keeps a thread on top, until that is taken back', async () => {
    await shortcut(page, 'n');
    await ask(page, 'When does the lease of the boathouse end?');
    const first = page.locator('.threads li').first();
    await first.filter({ hasText: 'When does the lease of the boathouse end?' }).waitFor();
    await page.locator('.threads li', { hasText: KEEL }).hover();
    await page.getByRole('button', { name: `Keep on top ${KEEL}` }).click();
    await first.filter({ hasText: KEEL }).waitFor();
    await page.reload();
    await first.filter({ hasText: KEEL }).waitFor();
    await shot(page, 'on-top');
    await page.getByRole('button', { name: `No longer on top ${KEEL}` }).click();
    await first.filter({ hasText: 'When does the lease of the boathouse end?' }).waitFor();
  });

  it('exports an answer as a file, with its citations', async () => {
    await page.locator('.threads a', { hasText: KEEL }).click();
    const article = page.locator('article', { hasText: KEEL }).first();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      article.getByRole('button', { name: 'Export' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'When was the keel of the Arlen ferry laid.md');
    const file = path.join(dir, 'exported.md');
    await download.saveAs(file);
    assert.match(readFileSync(file, 'utf8'), /^\[\^1\]: .*ferry\.pdf.*4 May 1931/m);
  });

  it('withdraws an answer that is called wrong, and asks again', async () => {
    const complaints = window.complaints.length;
    await shortcut(page, 'n');
    const turn = await ask(page, QUESTION);
    await turn.locator('.need-covered').waitFor();
    await turn.getByRole('button', { name: 'This is wrong' }).click();
    await shot(page, 'wrong');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw it and ask again' }).click();
    await turn.getByText('Withdrawn: you called it wrong.').waitFor();
    const again = page.locator('article').nth(1);
    await again.and(page.locator('[aria-busy=false]')).waitFor();
    assert.ok(!(await again.locator('.prose').innerText()).includes(PROOF));
    await again.locator('.state-verified').first().waitFor();
    forgive(complaints);
  });

  it('deletes the thread that is shown, for good', async () => {
    const complaints = window.complaints.length;
    const deleted = page.locator('.threads li', { hasText: 'When does the lease of the shed begin?' });
    await shortcut(page, 'n');
    await ask(page, 'When does the lease of the shed begin?');
    await ask(page, 'When does the lease of the boathouse end?');
    await deleted.getByText('2', { exact: true }).waitFor();
    await deleted.getByRole('button', { name: 'Delete' }).click();
    await shot(page, 'deletion');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The thread was deleted.').waitFor();
    await page.locator('.notice').waitFor({ state: 'detached' });
    assert.equal(await deleted.count(), 0);
    await page.reload();
    await page.locator('.threads a', { hasText: KEEL }).waitFor();
    assert.equal(await deleted.count(), 0);
    forgive(complaints);
  });

  it('complains of nothing', () => {
    assert.deepEqual(window.complaints, []);
  });
});
