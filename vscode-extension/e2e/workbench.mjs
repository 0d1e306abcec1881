/** One window of the workbench in a browser, and how a person moves in it. Everything waits for what is to be seen. */
import { chromium, browser as executablePath } from './rig.mjs';

/** Milliseconds: two busy cores are slow, and nothing is gained by giving up early. */
export const PATIENCE = Number(process.env.E2E_PATIENCE ?? 120_000);
/** A theme's colour that nothing is drawn in here. */
const UNSEEN = 'charts.lines';
/** Hosts that are none: what webviews ask them for is answered by the workbench's own service worker. */
const RESOURCES = /\.vscode-resource\.vscode-cdn\.net$/;
/** The frames of our own pages. */
export const OURS = 'iframe.webview.ready[src*="extensionId=lens-lsp.lens"]';
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

export function launch() {
  return chromium().launch({ executablePath, headless: true, args: ARGS });
}

/** A text as it is, for a regular expression. */
function literally(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

export class Workbench {
  #sets = 0;

  /** Opens a folder, or a `.code-workspace` file, in a window of its own. */
  static async open(browser, server, what) {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, permissions });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const workbench = new Workbench(page, server);
    await Workbench.load(page, server, what);
    return workbench;
  }

  /** Loads the workbench; a server whose own part is incomplete says so here. */
  static async load(page, server, what) {
    const response = await page.goto(Workbench.address(server, what), { timeout: PATIENCE });
    if (!response.ok())
      throw new Error(`the workbench cannot be loaded: ${response.status()} ${await response.text()}`);
  }

  /** The address of a window; `payload` is for the workbench itself. */
  static address(server, { folder, workspace, payload }) {
    const query = new URLSearchParams(folder === undefined ? { workspace } : { folder });
    if (payload !== undefined) query.set('payload', JSON.stringify(payload));
    return `${server.base}/?${query}`;
  }

  constructor(page, server) {
    this.page = page;
    this.server = server;
    /** Requests that left this machine, or tried to: `host path`. */
    this.strangers = [];
    const own = new URL(server.base).host;
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/^(https?|wss?):$/.test(url.protocol) && url.host !== own && !RESOURCES.test(url.host))
        this.strangers.push(`${url.host} ${url.pathname}`);
    });
  }

  /** Waits until the explorer shows what was opened, or a window that was loaded anew our view. */
  async ready() {
    await this.page.locator('.explorer-folders-view .monaco-list-row, iframe.webview.ready').first().waitFor();
  }

  close() {
    return this.page.context().close();
  }

  /**
   * Replaces the server's settings and waits until this window has them. It hears of their file some tenths of a second
   * late, about as long as a question takes to type; a colour that comes with them says when.
   */
  async set(settings) {
    this.#sets += 1;
    const colour = `#${this.#sets.toString(16).padStart(6, '0')}`;
    this.server.set({ ...settings, 'workbench.colorCustomizations': { [UNSEEN]: colour } });
    await this.page.waitForFunction(
      ([name, value]) =>
        getComputedStyle(document.querySelector('.monaco-workbench')).getPropertyValue(name).trim() === value,
      [`--vscode-${UNSEEN.replace('.', '-')}`, colour],
    );
  }

  /** The quick input that is open: a palette, a pick or an input box. */
  get quickInput() {
    return this.page.locator('.quick-input-widget:visible');
  }

  get rows() {
    return this.quickInput.locator('.quick-input-list .monaco-list-row');
  }

  /**
   * Runs a command by its full title. The palette lists what there is when it opens: it is opened again until a
   * contribution that comes later is in, and where an editor that is shown at this very moment takes the focus from it.
   */
  async command(title) {
    const row = this.rows
      .filter({ has: this.page.locator('.label-name', { hasText: new RegExp(`^${literally(title)}$`) }) })
      .first();
    const end = Date.now() + PATIENCE;
    for (;;) {
      await this.page.keyboard.press('F1');
      const input = this.quickInput.locator('input.input');
      try {
        await input.fill(`>${title}`, { timeout: 3_000 });
        await row.waitFor({ timeout: 3_000 });
        await row.click();
        await this.page.mouse.move(0, 0); // what lies below the row would show its hover
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.keyboard.press('Escape');
        await this.quickInput.waitFor({ state: 'hidden' });
      }
    }
  }

  /** Fills the input box that asks for something, known by its placeholder or prompt. */
  async answerInput(about, value) {
    const input = this.quickInput.locator('input.input');
    await this.quickInput
      .filter({ has: this.page.locator(`input[placeholder*="${about}"]`).or(this.page.getByText(about)) })
      .waitFor();
    await input.fill(value);
    await this.page.keyboard.press('Enter');
  }

  /** Chooses the row of a pick that holds a text. */
  async pick(text) {
    await this.rows.filter({ hasText: text }).first().click();
  }

  async openFile(name) {
    await this.page.keyboard.press('Control+P');
    const input = this.quickInput.locator('input.input');
    await input.waitFor();
    await input.fill(name);
    await this.rows
      .filter({ hasText: name.split('/').at(-1) })
      .first()
      .waitFor();
    await this.page.keyboard.press('Enter');
    await this.tab(name.split('/').at(-1)).waitFor();
  }

  /** The tab of an open editor. */
  tab(name, { active = true } = {}) {
    return this.page.locator(`.tab${active ? '.active' : ''}[data-resource-name="${name}"]`);
  }

  /** The shown text editor of a file or document whose address ends so. */
  editor(ending) {
    return this.page.locator(`.monaco-editor[data-uri$="${ending}"]`);
  }

  /** The shown answer that is whole: a document of its file. */
  get answer() {
    return this.page.locator('.monaco-editor[data-uri^="lens-answer:"][data-uri*="/answers/"]');
  }

  /** A shown line of a text editor that holds a text. */
  line(editor, text) {
    return editor.locator('.view-line').filter({ hasText: text }).first();
  }

  /** The mark of a citation in the shown answer, by its place among them, once they are links. */
  async citation(number) {
    const marks = this.answer.locator('.detected-link', { hasText: /^\^\w+$/ });
    await marks.first().waitFor();
    const shown = await marks.evaluateAll((all) => {
      const places = all.map((each) => ({ text: each.textContent, ...each.getBoundingClientRect().toJSON() }));
      return places.sort((one, other) => one.top - other.top || one.left - other.left).map(({ text }) => text);
    });
    const label = [...new Set(shown)][number - 1];
    return marks.filter({ hasText: new RegExp(`^${literally(label)}$`) }).first();
  }

  /** Ctrl+clicks a citation. Forced: the editor draws the line anew whenever the pointer comes to it while Ctrl is held. */
  async follow(number) {
    await (await this.citation(number)).click({ modifiers: ['Control'], force: true });
  }

  /** Chooses from the context menu of a row, which is opened until a contribution that comes later is in. */
  async choose(row, text) {
    const entry = this.page.locator('.context-view .monaco-menu .action-menu-item', { hasText: text });
    const end = Date.now() + PATIENCE;
    for (;;) {
      await row.click({ button: 'right' });
      try {
        await entry.waitFor({ timeout: 3_000 });
        // A menu that has just come up does not hear clicks.
        await entry.hover();
        await this.page.keyboard.press('Enter');
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Points at something until the hover with a text is shown: one that comes while its editor still moves goes again. */
  async hover(target, text) {
    const rows = this.page.locator('.monaco-hover:visible .hover-row', { hasText: text });
    const end = Date.now() + PATIENCE;
    for (;;) {
      await target.hover();
      try {
        await rows.first().waitFor({ timeout: 3_000 });
        return rows;
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.mouse.move(0, 0);
      }
    }
  }

  /** What an extension has marked in a text editor: which one did is not to be seen. */
  marked(editor) {
    return editor.locator('.view-overlays [class*="TextEditorDecorationType"]').first();
  }

  /** The sign beside lines that are folded. */
  folded(editor) {
    return editor.locator('.codicon-folding-collapsed').first();
  }

  /** The page of our view in the side bar, inside of its two frames. */
  get view() {
    // The addresses of our frames do not say which is which: it is the one in the side bar.
    const outer = this.page.locator(`${OURS}:left-of(.part.editor)`);
    return outer.contentFrame().locator('iframe#active-frame').contentFrame();
  }

  /** Asks in the view. */
  async ask(question) {
    await this.command('Lens: Ask a Question…');
    await this.view.locator('article').first().waitFor({ state: 'detached' }); // it begins a new thread
    await this.asks(question);
  }

  /** Types a question into the view that is shown. */
  async asks(question) {
    const box = this.view.locator('#question');
    await box.fill(question);
    await box.press('Enter');
  }

  /** The last question of the view, once it has ended. */
  async turn() {
    const turn = this.view.locator('article').last();
    await turn.and(this.view.locator('[aria-busy=false]')).waitFor();
    return turn;
  }

  /** The threads that the view lists, whose drawer is opened. */
  async threads() {
    const button = this.view.getByRole('button', { name: 'Show threads and views' });
    await button.waitFor();
    if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
    return this.view.locator('.threads a');
  }

  /** Asks, and opens the document of the answer. */
  async read(question) {
    await this.ask(question);
    await this.open();
  }

  /** Opens the document of the last answer, once that is there. */
  async open() {
    const turn = await this.turn();
    await turn.getByRole('button', { name: 'Open as document' }).click();
    await this.answer.waitFor();
  }

  /** Waits until the status bar tells a place, as `Ln 3, Col 7 (12 selected)`; gives what it says. */
  async place(expected) {
    const status = this.page.locator('#status\\.editor\\.selection');
    await status.filter({ hasText: expected }).waitFor();
    return (await status.textContent()).trim();
  }

  notification(text) {
    return this.page.locator('.notification-toast .notification-list-item', { hasText: text });
  }

  /** Presses a button of a notification. */
  async respond(text, button) {
    const toast = this.notification(text).first();
    await toast.waitFor();
    await toast.locator('.monaco-button', { hasText: button }).first().click();
  }

  dialog(text) {
    return this.page.locator('.monaco-dialog-box', { hasText: text });
  }

  statusItem(text) {
    return this.page.locator('.statusbar-item', { hasText: text });
  }

  async problems() {
    await this.command('Problems: Focus on Problems View');
    return this.page.locator('.markers-panel .monaco-list-row');
  }

  /** The side bar, once it shows the view with this title. */
  sideBar(title) {
    return this.page.locator('.part.sidebar', { has: this.page.locator('.composite.title', { hasText: title }) });
  }

  async save() {
    await this.page.keyboard.press('Control+S');
    await this.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
  }
}
