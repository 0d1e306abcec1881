/**
 * A server that runs, and the language client around it.
 *
 * The one module that knows `vscode-languageclient`. It is bundled apart and loaded when a server starts.
 */

import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type ExecuteCommandSignature,
  type InitializeResult,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  type ShowDocumentParams,
  type ShowMessageParams,
  type ShowMessageRequestParams,
  type StaticFeature,
} from 'vscode-languageclient/node';
import type { Session, SessionEvents } from './client';
import { isExtracted, isPdf } from './documents/kinds';
import { fileOfText, viewOf } from './documents/textUri';
import type { LensEvent } from './protocol/events';
import type { ModelParams, ModelResult } from './protocol/model';
import { SCHEME } from './reading/answerDocument';
import { linkTo, type PlaceParams } from './reading/locations';
import { redacted } from './redaction';
import type { Launch } from './server/launch';
import { Twins } from './twins';

/** What a provider of definitions gives. */
type Found = vscode.Definition | vscode.LocationLink[] | null | undefined;

/** What a session is made of. */
export interface SessionSetup {
  readonly launch: Launch;
  readonly log: vscode.LogOutputChannel;
  /** The settings of a place, as the server may have them. */
  settings(scope: vscode.Uri | undefined): object;
  /** What a request may carry here. */
  limited(method: string, params: object): object;
  /** Tell the user what the server has to say. */
  say(severity: 'error' | 'warning' | 'info', message: string): void;
  /** Put a question to the user; undefined where it was closed. */
  inquire(message: string, actions: readonly string[], token: vscode.CancellationToken): Promise<string | undefined>;
  /** Show an answer's file. */
  show(file: vscode.Uri, options: vscode.TextDocumentShowOptions): Promise<void>;
  /** Answers by the editor's own model; undefined where it has none to offer. */
  readonly model: ((params: ModelParams, token: vscode.CancellationToken) => Promise<ModelResult>) | undefined;
  /** Whether the user trusts the workspace: else the server reads nothing that an answer names. */
  readonly trusted: boolean;
  /** Told the version of the server. */
  started(version: string | undefined): void;
}

/** Start a server. Rejects when it does not start, or does not get through `initialize`. */
export async function startSession(setup: SessionSetup, on: SessionEvents): Promise<Session> {
  const running = { now: false };
  const twins = new Twins(SCHEME);
  const client = new QuietClient('lens', 'Lens', executable(setup.launch), {
    ...options(setup, twins),
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        if (running.now) {
          running.now = false;
          on.closed();
        }
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  });
  client.registerFeature(MARKDOWN_HOVERS);
  client.onNotification('lens/event', (event: LensEvent) => on.event(event));
  client.onNotification('window/showMessage', (message: ShowMessageParams) => {
    setup.say(message.type === 1 ? 'error' : message.type === 2 ? 'warning' : 'info', message.message);
  });
  client.onRequest('window/showMessageRequest', async (asked: ShowMessageRequestParams, token) => {
    const titles = (asked.actions ?? []).map(({ title }) => title);
    const title = await setup.inquire(asked.message, titles, token);
    return title === undefined ? null : { title };
  });
  if (setup.model) {
    client.onRequest('lens/model', setup.model);
  }
  try {
    await client.start();
  } catch (error) {
    await client.dispose().catch(() => undefined);
    throw error;
  }
  running.now = true;
  twins.attach((method, params) => client.sendNotification(method, params));
  setup.started(versionOf(client.initializeResult));
  return {
    get alive() {
      return running.now;
    },
    request: (method, params, token) =>
      token ? client.sendRequest(method, params, token) : client.sendRequest(method, params),
    notify: (method, params) => client.sendNotification(method, params),
    stop: async () => {
      running.now = false;
      await client.dispose().catch((error: unknown) => setup.log.debug(`the server did not stop: ${String(error)}`));
    },
  };
}

/**
 * Hovers are taken as Markdown only, in which the server escapes everything: in plain text the editor makes links of all
 * that looks like an address.
 */
const MARKDOWN_HOVERS: StaticFeature = {
  fillClientCapabilities: ({ textDocument }) => {
    if (textDocument?.hover) {
      textDocument.hover.contentFormat = ['markdown'];
    }
  },
  initialize: () => {},
  getState: () => ({ kind: 'static' }),
  clear: () => {},
};

/** A client that writes its errors into the log only: whoever asked tells the user. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function executable(launch: Launch) {
  // No `transport`: that would add an argument, and standard input and output are what is taken without it.
  const { cwd, env } = launch.options;
  return { command: launch.command, args: [...launch.args], options: { cwd, env } };
}

function options(setup: SessionSetup, twins: Twins): LanguageClientOptions {
  return {
    documentSelector: [
      { scheme: 'file', language: 'markdown' },
      { scheme: 'file', language: 'plaintext' },
      // Those that are still coming lie elsewhere: they change several times a second and are no files yet.
      { scheme: SCHEME, language: 'markdown', pattern: '**/answers/*.md' },
    ],
    diagnosticCollectionName: 'lens',
    outputChannel: setup.log,
    traceOutputChannel: traceChannel(setup.log),
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: { events: true, model: setup.model !== undefined, texts: true, trusted: setup.trusted },
    initializationFailedHandler: () => false,
    uriConverters: {
      code2Protocol: (uri) => twins.nameOf(uri),
      // Lines and columns of a document that is no text count in its text.
      protocol2Code: (value) => viewOf(vscode.Uri.parse(value)),
    },
    markdown: { isTrusted: false, supportHtml: false },
    middleware: middleware(setup, twins),
    stdioOptions: {
      stdout: () => undefined,
      stderr: (input) => lines(input, (line) => setup.log.info(`server: ${line}`)),
    },
  };
}

function middleware(setup: SessionSetup, twins: Twins): Middleware {
  return {
    ...twins.middleware,
    // Ctrl+click follows the link of a citation and goes to its definition, both: the text of a PDF would cover the page.
    provideDefinition: async (document, position, token, next) => withoutPages(await next(document, position, token)),
    resolveDocumentLink: async (link, token, next) => {
      const resolved = await next(link, token);
      const place = resolved?.target && placeOfLink(resolved.target);
      if (resolved && place) {
        resolved.target = linkTo(place);
      }
      return resolved;
    },
    provideWorkspaceSymbols: async (query, token, next) => kept(query, await next(query.replaceAll('_', ' '), token)),
    executeCommand: (command, args, next) =>
      command === 'lens.server.ask' ? ask(setup, args, next) : next(command, args),
    workspace: {
      configuration: (params) =>
        params.items.map((item) => {
          const scope = item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined;
          return item.section === 'lens' ? setup.settings(scope) : null;
        }),
    },
    window: {
      showDocument: async (params: ShowDocumentParams, _token, next) => {
        const uri = vscode.Uri.parse(params.uri);
        if (params.external || uri.scheme !== 'file') {
          return next(params, _token);
        }
        if (isExtracted(uri.path)) {
          return { success: (await openPlace(params)) === true };
        }
        try {
          await setup.show(uri, { preserveFocus: params.takeFocus !== true, ...selectionOf(params) });
          return { success: true };
        } catch (error) {
          setup.log.warn(`not shown: ${String(error)}`);
          return { success: false };
        }
      },
    },
  };
}

/**
 * Passages as the editor's own picker keeps them, in their order: it drops what does not hold the query's letters in its
 * name, and sorts by name what holds them alike. It asks for the first word alone, so words are joined by `_` there.
 */
function kept(query: string, found: vscode.SymbolInformation[] | null | undefined): vscode.SymbolInformation[] {
  return (found ?? []).map((each, number) => {
    if (each.kind !== vscode.SymbolKind.String) {
      return each;
    }
    const name = `${query} ${String(number + 1).padStart(2, '0')} ${each.name}`;
    return new vscode.SymbolInformation(name, each.kind, each.containerName, each.location);
  });
}

/** Definitions but those in PDFs: their pages are shown by links, and by `lens.showPassage`. */
function withoutPages(found: Found): vscode.LocationLink[] | vscode.Location[] {
  const shown = (uri: vscode.Uri) => !isPdf(fileOfText(uri)?.path ?? '');
  const all = Array.isArray(found) ? found : found ? [found] : [];
  return all.filter((each) => shown('uri' in each ? each.uri : each.targetUri)) as typeof all;
}

/** A question of a code action: answered where one can watch it come, or in the note where that asks; cancellable. */
function ask(setup: SessionSetup, args: unknown[], next: ExecuteCommandSignature): vscode.ProviderResult<unknown> {
  const [first] = args;
  const params = typeof first === 'string' ? { question: first } : first;
  if (typeof params !== 'object' || params === null) {
    return next('lens.server.ask', args);
  }
  const { question, insert } = params as { question?: unknown; insert?: unknown };
  if (question === undefined) {
    return vscode.commands.executeCommand('lens.ask');
  }
  return insert === true
    ? vscode.commands.executeCommand('lens.askInNote', setup.limited('lens/ask', params))
    : vscode.commands.executeCommand('lens.ask', params);
}

function openPlace({ uri, selection }: ShowDocumentParams): Thenable<unknown> {
  const place: PlaceParams = { uri, ...(selection !== undefined && { range: selection }) };
  return vscode.commands.executeCommand('lens.openPlace', place);
}

/** The place in a document that is no text that a link of the server's leads to, `#L2,1-L3,7`. */
function placeOfLink(target: vscode.Uri): PlaceParams | undefined {
  const file = fileOfText(target);
  if (file === undefined) {
    return undefined;
  }
  const [startLine, start, endLine, end] = [...target.fragment.matchAll(/\d+/g)].map(([number]) => Number(number) - 1);
  const range = {
    start: { line: startLine ?? 0, character: start ?? 0 },
    end: { line: endLine ?? startLine ?? 0, character: end ?? start ?? 0 },
  };
  return { uri: file.toString(), range };
}

function selectionOf(params: ShowDocumentParams): { selection?: vscode.Range } {
  if (!params.selection) {
    return {};
  }
  const { start, end } = params.selection;
  return { selection: new vscode.Range(start.line, start.character, end.line, end.character) };
}

function versionOf(result: InitializeResult | undefined): string | undefined {
  return result?.serverInfo?.version;
}

/** The log, which shows of a trace only what `redacted` leaves. */
function traceChannel(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  return Object.create(log, { trace: { value: (message: string) => log.trace(redacted(message)) } });
}

function lines(input: NodeJS.ReadableStream, each: (line: string) => void): void {
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    const parts = (rest + chunk).split(/\r?\n/);
    rest = parts.pop() ?? '';
    parts.filter((line) => line.trim() !== '').forEach(each);
  });
  input.on('end', () => {
    if (rest.trim() !== '') {
      each(rest);
    }
  });
}
