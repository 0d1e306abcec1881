/**
 * The program's HTTP: requests as functions, streams as callbacks. Nothing else in the page knows an address. In a view of
 * an editor the same requests go to the editor, as messages.
 */
import { type Closing, carried, Failed, followed } from './carrier';
import type {
  AnswerCommand,
  AskBody,
  AskMessage,
  Happening,
  OpenBody,
  Opened,
  PathChoice,
  RunningAsk,
  ViewCommand,
} from './protocol';
import { editor } from './surface';

export type { Closing } from './carrier';
export { Failed } from './carrier';

/**
 * Where this browser keeps what lets us in. It belongs to our port alone, where a cookie would go to every server of this
 * machine, and is good as long as the program runs.
 */
const KEY = 'lens.key';

/** What is sent to be let in: what the link was exchanged for, or what is given. */
function carrying(secret = localStorage.getItem(KEY) ?? ''): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${secret}` };
}

/** Exchanges the token of the link that was opened, if it was one; `address` takes its place. */
export async function enter(address: string): Promise<void> {
  const [, token] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (token === undefined) {
    return;
  }
  history.replaceState(null, '', address);
  // One that was used already is no harm where its key is here.
  const response = await fetch('/api/session', { method: 'POST', headers: carrying(token) }).catch(() => null);
  if (response?.ok) {
    const { key } = (await response.json()) as { readonly key: string };
    localStorage.setItem(KEY, key);
  }
}

/** Says when another tab was let in: its key is this tab's, too. */
export function onEntered(then: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === KEY) {
      then();
    }
  });
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  if (editor !== undefined) {
    return carried<T>(method, path, body);
  }
  const response = await answered(path, {
    method,
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

async function answered(path: string, { headers, ...more }: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...more, headers: { ...carrying(), ...headers } }).catch((error: unknown) => {
    throw new Failed(error instanceof Error ? error.message : String(error), 0, null);
  });
  if (!response.ok) {
    throw await failureIn(response);
  }
  return response;
}

async function failureIn(response: Response): Promise<Failed> {
  const said: unknown = await response.json().catch(() => null);
  const { error } = (said ?? {}) as { readonly error?: { readonly message?: string; readonly name?: string } };
  const message = error?.message ?? `${response.status} ${response.statusText}`;
  return new Failed(message, response.status, error?.name ?? null);
}

/** One request of the language server's own. */
export async function rpc<T>(method: string, params: object = {}): Promise<T> {
  const { result } = await call<{ readonly result: T }>('POST', '/api/rpc', { method, params });
  return result;
}

/** Begins a question; gives the name of its stream. */
export async function ask(body: AskBody): Promise<string> {
  const { id } = await call<{ readonly id: string }>('POST', '/api/asks', body);
  return id;
}

/** Ends a question; what was found comes as its result. */
export function cancel(id: string): Promise<unknown> {
  return call('DELETE', `/api/asks/${encodeURIComponent(id)}`);
}

/** The questions that run, and those that ended lately. */
export async function asks(): Promise<readonly RunningAsk[]> {
  return (await call<{ readonly asks: readonly RunningAsk[] }>('GET', '/api/asks')).asks;
}

/** Answers a prompt; null closes it without an answer. */
export function consent(id: string, action: string | null): Promise<unknown> {
  return call('POST', `/api/consents/${encodeURIComponent(id)}`, { action });
}

/** What is searched, and what was before. */
export function folders(): Promise<Opened> {
  return call('GET', '/api/folders');
}

/** Has a folder searched from now on, or the folder of a file: `added` is the folder then, `file` that file. */
export function addFolder(path: string): Promise<Opened & { readonly added: string; readonly file: string | null }> {
  return call('POST', '/api/folders', { path });
}

/** Has a folder searched no more; its files stay as they are. */
export function dropFolder(uri: string): Promise<Opened> {
  return call('DELETE', '/api/folders', { uri });
}

/** Takes a folder off the list of those that were opened before. */
export function forgetRecent(path: string): Promise<Opened> {
  return call('DELETE', '/api/recent', { path });
}

/** What a path that begins so may be. */
export async function completions(typed: string): Promise<readonly PathChoice[]> {
  return (await call<{ readonly paths: readonly PathChoice[] }>('POST', '/api/paths', { typed })).paths;
}

/** Where something of this name lies: a browser tells the name of what is dropped on it alone. */
export async function placesOf(name: string): Promise<readonly PathChoice[]> {
  return (await call<{ readonly paths: readonly PathChoice[] }>('POST', '/api/paths', { name })).paths;
}

/** Has the program watch what answers cite, and sources of theirs: `drift` is told when one changes. */
export function watch(answers: readonly string[], sources: readonly string[]): Promise<unknown> {
  return call('POST', '/api/follow', editor === undefined ? { answers } : { sources });
}

/** Opens a file in the user's editor. */
export function openInEditor(place: OpenBody): Promise<unknown> {
  return call('POST', '/api/open', place);
}

/** Of a view only: has the editor do something with an answer. */
export function withAnswer(act: AnswerCommand, answerUri: string): Promise<unknown> {
  return call('POST', '/api/answer', { act, answerUri });
}

/** Of a view only: runs a command of the editor. */
export function command(id: ViewCommand): Promise<unknown> {
  return call('POST', '/api/command', { id });
}

/** Puts a text on the clipboard. */
export function toClipboard(text: string): Promise<unknown> {
  return editor === undefined ? navigator.clipboard.writeText(text) : call('POST', '/api/clipboard', { text });
}

/** A picture of a page. */
export async function pagePicture(uri: string, page: number, quote: string): Promise<Blob> {
  return (await answered(`/api/page?${new URLSearchParams({ uri, page: String(page), quote })}`)).blob();
}

/** Whether text on scanned pages is recognised; by whom, or the command that installs what is missing. */
export interface Recognition {
  readonly state: 'off' | 'off-not-installed' | 'not-installed' | 'on' | 'no-program' | 'program';
  readonly by: string;
}

/** The user's settings, as the program keeps them. */
export interface Preferences {
  readonly settings: Readonly<Record<string, string | number | null>>;
  readonly key: KeyState;
  readonly ocr: Recognition;
}

/** Whether a key is kept for the model's address, and whether the system can keep one. */
export interface KeyState {
  /** What the key belongs to; null where no model is configured. */
  readonly origin: string | null;
  /** One comes from where Lens was started, and is used. */
  readonly environment: boolean;
  readonly stored: boolean;
  readonly available: boolean;
}

export function preferences(): Promise<Preferences> {
  return call('GET', '/api/settings');
}

/** Keeps settings. A new address of a model on this machine is refused until it is `agreed`. */
export function keepPreferences(settings: Preferences['settings'], agreed: string | null): Promise<Preferences> {
  return call('PUT', '/api/settings', { ...settings, agreed });
}

/** A program of this machine that serves models, at the port that such a one usually has. */
export interface ModelProgram {
  readonly name: string;
  readonly port: number;
  readonly address: string;
  readonly models: readonly string[];
}

/** Looks for programs of this machine that serve models; nothing of the user's is sent. */
export async function modelPrograms(): Promise<readonly ModelProgram[]> {
  return (await call<{ readonly programs: readonly ModelProgram[] }>('GET', '/api/models')).programs;
}

/** What the address that was kept calls its models; fails where nothing answers there. No text is sent. */
export async function servedModels(): Promise<readonly string[]> {
  return (await call<{ readonly models: readonly string[] }>('POST', '/api/models/served', {})).models;
}

/** Has a model say one word. */
export function tryModel(port: number, model: string): Promise<{ readonly said: string; readonly seconds: number }> {
  return call('POST', '/api/models/trial', { port, model });
}

export function keepKey(key: string): Promise<unknown> {
  return call('PUT', '/api/key', { key });
}

export function dropKey(): Promise<unknown> {
  return call('DELETE', '/api/key');
}

const AGAIN_MILLISECONDS = 1000;

/**
 * Follows a stream of events. A broken connection goes on where it broke; `refused` is called where the program does not
 * let it, which ends it. An EventSource does the same, but cannot say who it is.
 */
function listen(
  path: string,
  hear: (data: unknown) => void,
  connected: (is: boolean) => void,
  refused: (why: Failed) => void,
): Closing {
  if (editor !== undefined) {
    connected(true);
    return followed(path, hear);
  }
  const leaving = new AbortController();
  let last = '';
  let coming = '';
  const take = (line: string) => {
    if (leaving.signal.aborted) {
      return; // what came with the last event that was wanted
    }
    if (line.startsWith('id: ')) {
      coming = line.slice(4);
    } else if (line.startsWith('data: ')) {
      last = coming; // and not before: an event that broke off comes again
      try {
        hear(JSON.parse(line.slice(6)));
      } catch (error) {
        reportError(error); // of ours, not of the connection
      }
    }
  };
  const once = async () => {
    const headers = last === '' ? {} : { 'Last-Event-ID': last };
    const { body } = await answered(path, { headers, signal: leaving.signal });
    connected(true);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      const lines = (rest + read.value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        take(line);
      }
    }
  };
  const always = async () => {
    while (!leaving.signal.aborted) {
      try {
        await once();
      } catch (error) {
        if (leaving.signal.aborted) {
          return;
        }
        if (error instanceof Failed && error.status !== 0) {
          refused(error);
          return;
        }
      }
      if (!leaving.signal.aborted) {
        connected(false);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
      }
    }
  };
  void always();
  return () => leaving.abort();
}

/** Follows a question from its beginning to its end. */
export function follow(id: string, hear: (message: AskMessage) => void, lost: () => void): Closing {
  const close = listen(
    `/api/asks/${encodeURIComponent(id)}/events`,
    (data) => {
      const message = data as AskMessage;
      if (message.type === 'result' || message.type === 'error') {
        close();
      }
      hear(message);
    },
    () => undefined,
    lost,
  );
  return close;
}

const HAPPENINGS = '/api/happenings';

/** What the tab that hears the program tells the others: a browser gives all of them six connections together. */
type Relayed = { readonly happening: Happening } | { readonly connected: boolean };

/** Follows what concerns the whole page; `connected` tells whether the program is there, `refused` that we may not. */
export function attend(
  hear: (happening: Happening) => void,
  connected: (is: boolean) => void,
  refused: (why: Failed) => void,
): Closing {
  if (editor !== undefined || globalThis.navigator?.locks === undefined) {
    return listen(HAPPENINGS, (data) => hear(data as Happening), connected, refused);
  }
  const leaving = new AbortController();
  const others = new BroadcastChannel(HAPPENINGS);
  others.onmessage = ({ data }: MessageEvent<Relayed>) => {
    if ('happening' in data) {
      hear(data.happening);
    } else {
      connected(data.connected);
    }
  };
  const relay = (what: Relayed) => others.postMessage(what);
  const lead = () =>
    new Promise<void>((over) => {
      const close = listen(
        HAPPENINGS,
        (data) => {
          hear(data as Happening);
          relay({ happening: data as Happening });
        },
        (is) => {
          connected(is);
          relay({ connected: is });
        },
        (why) => {
          refused(why);
          over();
        },
      );
      leaving.signal.addEventListener('abort', () => {
        close();
        over();
      });
    });
  connected(true); // or the page would not be here
  navigator.locks.request(HAPPENINGS, { signal: leaving.signal }, lead).catch(() => undefined);
  return () => {
    leaving.abort();
    others.close();
  };
}
