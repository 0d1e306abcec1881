// Opens a page of the site from the disk in a browser without a network, searches for a word, and prints what came of it:
// node search_site.mjs FOLDER-WITH-PLAYWRIGHT BROWSER PAGE WORD
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, executablePath, file, word] = process.argv.slice(2);
const { chromium } = createRequire(path.join(modules, 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--proxy-server=127.0.0.1:9'] });
const page = await browser.newPage();
page.setDefaultTimeout(120_000);
const elsewhere = [];
page.on('request', (request) => /^(file|data|blob|about):/.test(request.url()) || elsewhere.push(request.url()));
await page.goto(pathToFileURL(file).href);
await page.locator('.md-search__button').first().click();
await page.keyboard.insertText(word); // at once: typed letter by letter, what the first of them find is shown meanwhile
const count = page.getByText(/^(\d+ results?|no results.*)$/i).first();
await count.waitFor();
const titles = await page.locator('a:has(h2)').allInnerTexts();
console.log(JSON.stringify({ count: await count.innerText(), titles, elsewhere }));
await browser.close();
