/** The real `lens desktop`, started as a person would, with a home of its own, and a browser that was given its link. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { chromium } from 'playwright-core';

import { PROVING, WRITE_READER } from '../../../../vscode-extension/e2e/corpus.mjs';
import { browser, python, shots } from './rig.mjs';

/** Milliseconds, for whatever is to be seen; for a program's start and for an answer there are others. */
export const PATIENCE = 60_000;
const STARTS_WITHIN = 120_000;
const ANSWERED_WITHIN = 120_000;
const LINK = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/;
/** Of the environment only what a person's own machine would have, too. */
const KEPT = /^(LANG|LC_.*|TZ|TERM|TMPDIR|PATH|PYTHONPATH|SSL_CERT_.*|.*_CA_BUNDLE|https?_proxy|no_proxy)$/i;

function environment(home, more) {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  mkdirSync(home, { recursive: true });
  const reader = path.join(home, 'reader');
  execFileSync(python, ['-I', WRITE_READER, reader, ...PROVING]);
  return { ...Object.fromEntries(kept), HOME: home, LENS_READER: reader, ...more };
}

/** A running `lens desktop`. */
export class Desktop {
  /** `settings` is what stands in the user's file, as TOML. */
  static async start(within, folders, { settings = '', env = {} } = {}) {
    const home = path.join(within, 'home');
    mkdirSync(path.join(home, '.config/lens-lsp'), { recursive: true });
    if (settings !== '') writeFileSync(path.join(home, '.config/lens-lsp/config.toml'), settings);
    const desktop = new Desktop(home, folders, env);
    await desktop.run();
    return desktop;
  }

  constructor(home, folders, env) {
    this.home = home;
    this.folders = folders;
    this.env = env;
    this.said = [];
  }

  /** Starts the program; again after `kill`. */
  async run(port = 0) {
    const args = [
      '-m',
      'lens_lsp',
      'desktop',
      '--no-browser',
      ...(port ? ['--port', String(port)] : []),
      ...this.folders,
    ];
    this.child = spawn(python, args, { env: environment(this.home, this.env), stdio: ['ignore', 'pipe', 'pipe'] });
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.link = await this.#link();
  }

  #link() {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no link: ${this.said.join('\n')}`)), STARTS_WITHIN);
      const hear = (line) => {
        this.said.push(line);
        const [link] = LINK.exec(line) ?? [];
        if (link !== undefined) {
          clearTimeout(late);
          resolve(link);
        }
      };
      for (const stream of [this.child.stdout, this.child.stderr]) {
        readline.createInterface({ input: stream }).on('line', hear);
      }
      this.child.once('exit', (code) => reject(new Error(`ended with ${code}: ${this.said.join('\n')}`)));
    });
  }

  get origin() {
    return new URL(this.link).origin;
  }

  async stop(signal = 'SIGINT') {
    this.child.kill(signal);
    await this.exited;
  }
}

/** A browser; its pages keep what they complain of. */
export class Window {
  static async open(options = {}) {
    const server = await chromium.launchServer({ executablePath: browser, args: ['--no-sandbox'] });
    const program = await chromium.connect(server.wsEndpoint());
    const context = await program.newContext({ viewport: { width: 1360, height: 860 }, ...options });
    context.setDefaultTimeout(PATIENCE);
    return new Window(server, context);
  }

  constructor(server, context) {
    this.server = server;
    this.context = context;
    this.complaints = [];
  }

  /** A tab that shows the page; the link is good for one, others share its key. */
  async tab(address) {
    const page = await this.context.newPage();
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => message.type() === 'error' && this.complaints.push(message.text()));
    await page.goto(address);
    await page.locator('#question').waitFor();
    return page;
  }

  close() {
    return this.server.close();
  }

  /** The browser goes at once, as when the system kills it. */
  kill() {
    return this.server.kill();
  }
}

/** Asks, and waits for the end of it; gives its article. */
export async function ask(page, question) {
  const before = await page.locator('article').count();
  await page.locator('#question').fill(question);
  await page.locator('#question').press('Enter');
  const turn = page.locator('article').nth(before);
  await turn.and(page.locator('[aria-busy=false]')).waitFor({ timeout: ANSWERED_WITHIN });
  return turn;
}

/** A shortcut of one letter: the question box, which keeps the focus after a question, would take it as text. */
export async function shortcut(page, letter) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press(letter);
}

/** Keeps a picture of what is shown. */
export async function shot(page, name) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: path.join(shots, `${name}.png`), animations: 'disabled' });
}
