import { randomBytes, randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { ChosenScope, NamedScope } from '../asking/scope';
import type { LensClient } from '../client';
import { watchFile } from '../documents/watching';
import { Failure, failureOf } from '../failures';
import type { AnswerResult } from '../protocol/answer';
import type { AskParams } from '../protocol/asking';
import type { PlaceParams } from '../reading/locations';
import type { Reading } from '../reading/reading';
import { documentOf } from '../reading/subject';
import { COMMANDS } from '../standing/standing';
import type { Standings } from '../standing/standings';
import type { AnswerCommand, FromView, Happening, OpenBody, ToView, ViewCommand } from './messages';
import { viewPage } from './page';
import { type Prompts, VIEW } from './prompts';
import { Questions } from './questions';

/** What the page may ask the server for. */
const FORWARDED = new Set([
  'lens/answer',
  'lens/clusters',
  'lens/forget',
  'lens/ledger',
  'lens/recheck',
  'lens/status',
  'lens/threads',
  'lens/wrong',
]);
/** What it may have done with an answer, and by which command. */
const WITH_ANSWER: Readonly<Record<AnswerCommand, string>> = {
  insert: 'lens.insertAnswer',
  export: 'lens.exportAnswer',
  open: 'lens.openAnswer',
  references: 'lens.showEvidence',
};
const NOT_STARTED = 'lens.notStarted';
const WALKS = 'lens.hasEvidence';
const MOST_WATCHED = 50;
const LONGEST_COPIED = 10_000_000;

/** A question as a command asks it. */
export interface Request extends Pick<AskParams, 'question' | 'scope' | 'mode' | 'thread'> {}

/** What a command wants to be shown. */
type Shown = Extract<Happening, { readonly type: 'show' }>;

/** A request of the page, without its path. */
type Answering = (body: Readonly<Record<string, unknown>>, id: string) => unknown;

/**
 * The view in the side bar that questions are asked and answers are read in. It shows the page of `lens desktop`, which
 * sends its requests as messages; what runs goes on while nobody sees it.
 */
export class AnswerView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly questions: Questions;
  readonly #subscriptions: vscode.Disposable[];
  readonly #streams = new Map<number, vscode.Disposable>();
  readonly #attending = new Set<number>();
  #view: vscode.WebviewView | undefined;
  #watched: vscode.Disposable[] = [];
  /** What a command wanted to be shown before there was a page. */
  #wanted: Shown | undefined;
  #warm = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly lens: LensClient,
    private readonly reading: Reading,
    private readonly prompts: Prompts,
    private readonly chosen: ChosenScope,
    private readonly standings: Standings,
  ) {
    this.questions = new Questions(lens, reading, context.storageUri);
    // Those that ran when the window was loaded anew: the view's own memory is older than they are.
    const interrupted = this.questions.all.find(({ thread }) => thread !== null);
    if (interrupted !== undefined) {
      this.#wanted = { type: 'show', view: 'ask', thread: interrupted.thread };
    }
    const changed = () => this.#tell({ type: 'changed' });
    this.#subscriptions = [
      this.questions,
      vscode.window.registerWebviewViewProvider(VIEW, this),
      prompts.onDidChange(() => this.#tellPrompts()),
      standings.onDidChange(() => this.#tellStanding()),
      lens.onDidChangeState((state) => {
        this.#tellStanding();
        if (state === 'running') {
          this.#tell({ type: 'drift' }); // what it may read has changed where the workspace was trusted
        }
      }),
      lens.onDidAnswer(({ answerUri }) => this.#tell({ type: 'answered', answerUri })),
      reading.onDidRecheck(() => this.#tell({ type: 'drift' })),
      vscode.workspace.onDidChangeWorkspaceFolders(changed),
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('lens') && changed()),
    ];
  }

  /** Asks a question in the view; the answer is undefined where there is none, which the view says. */
  async ask(request: Request): Promise<AnswerResult | undefined> {
    const thread = request.thread ?? `window ${randomUUID()}`;
    const { answer } = this.questions.begin({ ...request, thread });
    await this.show({ type: 'show', view: 'ask', thread });
    return answer;
  }

  /** Shows the view, and in it what is wanted. */
  async show(wanted: Shown): Promise<void> {
    this.reading.used();
    this.#wanted = wanted;
    if (this.#view === undefined || !this.#view.visible) {
      await vscode.commands.executeCommand(`${VIEW}.focus`);
    } else {
      this.#view.show(false);
      await vscode.commands.executeCommand(`${VIEW}.focus`);
    }
    this.#tellWanted();
  }

  /** Opens the next passage of what the view shows, or the one before. */
  step(by: 1 | -1): void {
    this.#tell({ type: 'step', by });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const root = vscode.Uri.joinPath(this.context.extensionUri, 'dist', 'answer');
    const { webview } = view;
    webview.options = { enableScripts: true, enableForms: true, enableCommandUris: false, localResourceRoots: [root] };
    view.onDidDispose(() => this.#forget(view));
    view.onDidChangeVisibility(() => {
      if (!view.visible) {
        this.#leaveAll(); // the editor throws the page of a hidden view away
      }
    });
    webview.onDidReceiveMessage((message: FromView) => this.#hear(message));
    const at = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
    webview.html = viewPage({
      nonce: randomBytes(18).toString('base64url'),
      source: webview.cspSource,
      script: at('page.js'),
      styles: [at('page.css'), at('editor.css')],
      language: vscode.env.language,
    });
  }

  dispose(): void {
    this.#leaveAll();
    vscode.Disposable.from(...this.#subscriptions, ...this.#watched).dispose();
  }

  #forget(view: vscode.WebviewView): void {
    if (this.#view === view) {
      this.#view = undefined;
      this.#leaveAll();
    }
  }

  #leaveAll(): void {
    vscode.Disposable.from(...this.#streams.values()).dispose();
    this.#streams.clear();
    this.#attending.clear();
    void vscode.commands.executeCommand('setContext', WALKS, false);
  }

  #say(message: ToView): void {
    void this.#view?.webview.postMessage(message);
  }

  #tell(happening: Happening): void {
    for (const id of this.#attending) {
      this.#say({ type: 'told', id, data: happening });
    }
  }

  #hear(message: FromView): void {
    switch (message.type) {
      case 'request':
        void this.#answer(message);
        break;
      case 'listen':
        this.#listen(message.id, message.path);
        break;
      case 'leave':
        this.#streams.get(message.id)?.dispose();
        this.#streams.delete(message.id);
        break;
    }
  }

  #listen(id: number, path: string): void {
    if (path === '/api/happenings') {
      this.#leaveAll(); // a page that was killed said no goodbye
      this.#attending.add(id);
      this.#streams.set(id, new vscode.Disposable(() => this.#attending.delete(id)));
      void vscode.commands.executeCommand('setContext', WALKS, true);
      void this.#greet();
      return;
    }
    const [, asked] = /^\/api\/asks\/([\w-]+)\/events$/.exec(path) ?? [];
    const following =
      asked === undefined ? undefined : this.questions.follow(asked, (data) => this.#say({ type: 'told', id, data }));
    if (following !== undefined) {
      this.#streams.set(id, following);
    }
  }

  /** A page that has just come hears how everything is. The server is started, if that needs nobody's consent. */
  async #greet(): Promise<void> {
    this.#tell({ type: 'changed' });
    this.#tellPrompts();
    this.#tellWanted({ early: true });
    await this.lens.warm();
    this.#warm = true;
    this.#tellStanding();
  }

  #tellWanted(when: Pick<Shown, 'early'> = {}): void {
    if (this.#wanted !== undefined && this.#attending.size > 0) {
      this.#tell({ ...this.#wanted, ...when });
      this.#wanted = undefined;
    }
  }

  readonly #shownPrompts = new Set<string>();

  #tellPrompts(): void {
    const open = this.prompts.all;
    for (const id of this.#shownPrompts) {
      if (!open.some((prompt) => prompt.id === id)) {
        this.#shownPrompts.delete(id);
        this.#tell({ type: 'prompt-over', id });
      }
    }
    for (const prompt of open) {
      this.#shownPrompts.add(prompt.id);
      this.#tell({ type: 'prompt', ...prompt });
    }
  }

  #tellStanding(): void {
    const { state } = this.lens;
    if (state === 'stopped' && !this.#warm) {
      return; // it may start by itself
    }
    this.#tell({ type: 'standing', ...this.standings.now });
    this.#tell({ type: 'server', state: state === 'stopped' ? 'idle' : state === 'missing' ? 'waiting' : state });
  }

  async #answer({ id, method, path, body }: Extract<FromView, { readonly type: 'request' }>): Promise<void> {
    try {
      const [, route = '', asked = ''] = /^(\/api\/\w+)(?:\/([\w-]+))?$/.exec(path) ?? [];
      const answering = this.#routes[`${method} ${route}`];
      if (answering === undefined) {
        throw new Failure(`${method} ${path}`, 'lens.usage');
      }
      const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
      const said = await answering(given, asked);
      this.#say({ type: 'done', id, body: said === undefined ? {} : said });
    } catch (error) {
      const failure = failureOf(error);
      const code = failure instanceof Failure ? (failure.code ?? null) : 'lens.cancelled';
      this.#say({ type: 'failed', id, status: 400, code, message: failure.message });
    }
  }

  readonly #routes: Readonly<Record<string, Answering>> = {
    'POST /api/rpc': ({ method, params }) => this.#forward(String(method), params),
    'GET /api/folders': () => ({
      folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({ uri: uri.toString(), name })),
    }),
    'GET /api/asks': () => ({ asks: this.questions.all }),
    'POST /api/asks': (body) => {
      const { tab: _, ...params } = body;
      return { id: this.questions.begin(params as unknown as AskParams).id };
    },
    'DELETE /api/asks': (_, id) => this.questions.stop(id),
    'POST /api/consents': ({ action }, id) => this.prompts.answer(id, typeof action === 'string' ? action : undefined),
    'POST /api/follow': ({ sources }) => this.#watch(sources),
    'POST /api/open': (body) => open(body as unknown as OpenBody),
    'POST /api/answer': ({ act, answerUri }) =>
      vscode.commands.executeCommand(WITH_ANSWER[act as AnswerCommand], documentOf(String(answerUri))),
    'POST /api/command': ({ id }) => this.#command(id as ViewCommand),
    'POST /api/clipboard': ({ text }) => vscode.env.clipboard.writeText(String(text).slice(0, LONGEST_COPIED)),
  };

  async #forward(method: string, params: unknown): Promise<object> {
    if (!FORWARDED.has(method)) {
      throw new Failure(method, 'lens.usage');
    }
    await this.lens.warm(); // to look at the view is no consent to a set-up
    if (this.lens.state !== 'running') {
      throw new Failure(vscode.l10n.t('The search of Lens does not run yet.'), NOT_STARTED);
    }
    return { result: await this.lens.request(method, (params ?? {}) as object) };
  }

  async #command(id: ViewCommand): Promise<unknown> {
    if (id === 'scope') {
      return ((await this.chosen.choose()) satisfies NamedScope | undefined) ?? null;
    }
    return vscode.commands.executeCommand(COMMANDS[id]);
  }

  /** Tells when a file that is cited changes. */
  #watch(sources: unknown): void {
    vscode.Disposable.from(...this.#watched).dispose();
    const uris = Array.isArray(sources)
      ? sources.slice(0, MOST_WATCHED).map((uri) => vscode.Uri.parse(String(uri)))
      : [];
    this.#watched = uris
      .filter(({ scheme }) => scheme === 'file')
      .map((uri) => watchFile(uri, () => this.#tell({ type: 'drift' })));
  }
}

/** Shows a passage where it stands, beside what is read; the keyboard stays in the view, for the next one. */
async function open({ uri, span, quote, page }: OpenBody): Promise<object> {
  const place: PlaceParams = {
    uri: String(uri),
    ...(span !== undefined && { span }),
    ...(typeof quote === 'string' && { quote }),
    ...(page !== undefined && { page }),
  };
  const opened = await vscode.commands.executeCommand('lens.openPlace', place, { preview: true, beside: true });
  return { opened };
}
