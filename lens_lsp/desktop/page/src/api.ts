/** The program's HTTP: requests as functions, streams as callbacks. Nothing else in the page knows an address. */
import type { AskBody, AskMessage, Folder, Happening, RunningAsk } from './protocol';

/** A request was refused or failed; the message is for people. */
export class Failed extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string | null,
  ) {
    super(message);
    this.name = 'Failed';
  }
}

/** An end of something that was begun. */
export type Closing = () => void;

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { 'X-Lens': '1', ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const response = await fetch(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Failed(error instanceof Error ? error.message : String(error), 0, null);
  });
  const said: unknown = await response.json().catch(() => null);
  if (!response.ok) {
    throw failureIn(said, response);
  }
  return said as T;
}

function failureIn(said: unknown, response: Response): Failed {
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

/** What is searched. */
export async function folders(): Promise<readonly Folder[]> {
  return (await call<{ readonly folders: readonly Folder[] }>('GET', '/api/folders')).folders;
}

/** Has the program watch what answers cite: `drift` is told when it changes. */
export function watch(answers: readonly string[]): Promise<unknown> {
  return call('POST', '/api/follow', { answers });
}

/** Opens a file in the user's editor; line and column from 1. */
export function openInEditor(uri: string, line: number, column: number): Promise<unknown> {
  return call('POST', '/api/open', { uri, line, column });
}

/** The address of a picture of a page. */
export function pagePicture(uri: string, page: number, quote: string): string {
  return `/api/page?${new URLSearchParams({ uri, page: String(page), quote })}`;
}

/** The user's settings, as the program keeps them. */
export interface Preferences {
  readonly settings: Readonly<Record<string, string | number | null>>;
  readonly key: KeyState;
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

export function keepPreferences(settings: Preferences['settings']): Promise<Preferences> {
  return call('PUT', '/api/settings', settings);
}

export function keepKey(key: string): Promise<unknown> {
  return call('PUT', '/api/key', { key });
}

export function dropKey(): Promise<unknown> {
  return call('DELETE', '/api/key');
}

/** Follows a question from its beginning to its end. A broken connection goes on where it broke. */
export function follow(id: string, hear: (message: AskMessage) => void, lost: () => void): Closing {
  const source = new EventSource(`/api/asks/${encodeURIComponent(id)}/events`);
  source.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as AskMessage;
    if (message.type === 'result' || message.type === 'error') {
      source.close();
    }
    hear(message);
  };
  source.onerror = () => {
    // The browser itself goes on after a broken connection; it gives up where the program refuses.
    if (source.readyState === EventSource.CLOSED) {
      lost();
    }
  };
  return () => source.close();
}

/** Follows what concerns the whole page; `connected` tells whether the program is there. */
export function attend(hear: (happening: Happening) => void, connected: (is: boolean) => void): Closing {
  const source = new EventSource('/api/happenings');
  source.onopen = () => connected(true);
  source.onerror = () => connected(false);
  source.onmessage = ({ data }) => hear(JSON.parse(String(data)) as Happening);
  return () => source.close();
}
