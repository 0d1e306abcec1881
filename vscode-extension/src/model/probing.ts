/** Which model servers answer on this machine, with which models; and whether a model answers at all. No editor is needed. */

import { performance } from 'node:perf_hooks';
import { printable } from '../inert';

/** A model server as it is when nobody changes its settings. */
export interface LocalServer {
  readonly name: string;
  readonly port: number;
}

/** What is looked for on this machine. */
export const LOCAL_SERVERS: readonly LocalServer[] = [
  { name: 'Ollama', port: 11434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'llama.cpp', port: 8080 },
  { name: 'vLLM', port: 8000 },
];

/** A server that answered. */
export interface Answering {
  readonly server: LocalServer;
  readonly baseUrl: string;
  /** Their names, as the server tells them. */
  readonly models: readonly string[];
}

/** What a try came to: how long the model took, or why it gave no answer. */
export type Tried =
  | { readonly ok: true; readonly milliseconds: number }
  | {
      readonly ok: false;
      /** `nothing` listens, it takes too `long`, the server `refused` (with what it said), or it is no `model`. */
      readonly why: 'nothing' | 'long' | 'refused' | 'model';
      readonly said: string;
    };

/** Where a model is, and the key for it. */
export interface ModelPlace {
  readonly baseUrl: string;
  readonly key: string | undefined;
}

const LOOK_MILLISECONDS = 1_500;
/** A model may have to be loaded first. */
const TRY_MILLISECONDS = 90_000;
const MOST_BYTES = 1_000_000;
const MOST_MODELS = 200;
const LONGEST_NAME = 200;
const LONGEST_SAID = 300;
/** All that a try sends: nothing of the user's. */
export const SENTENCE = 'Answer with one word: yes';
export const MOST_TOKENS = 64;

/** The servers that answer, in the order they stand; nothing is sent but the question which models there are. */
export async function lookAround(
  signal: AbortSignal,
  servers: readonly LocalServer[] = LOCAL_SERVERS,
): Promise<readonly Answering[]> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const baseUrl = `http://127.0.0.1:${server.port}/v1`;
      const models = await modelsAt({ baseUrl, key: undefined }, signal).catch(() => []);
      return models.length > 0 ? { server, baseUrl, models } : undefined;
    }),
  );
  return found.filter((each) => each !== undefined);
}

/** The names of the models at an address. Rejects where it tells none. */
export async function modelsAt(place: ModelPlace, signal: AbortSignal): Promise<readonly string[]> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MILLISECONDS)]);
  const { status, text } = await asked(place, '/models', undefined, soon);
  const { data } = JSON.parse(text) as { data?: unknown };
  if (status !== 200 || !Array.isArray(data)) {
    throw new Error(`models: ${status}`);
  }
  const names = data.map((each: { id?: unknown }) => each?.id).filter((id) => typeof id === 'string');
  return names.map((name) => oneLine(name, LONGEST_NAME)).slice(0, MOST_MODELS);
}

/** Asks a model for one word. Rejects with the signal's reason when the user ends it, and with nothing else. */
export async function tryModel(
  place: ModelPlace,
  name: string,
  signal: AbortSignal,
  within = TRY_MILLISECONDS,
): Promise<Tried> {
  const late = AbortSignal.timeout(within);
  const began = performance.now();
  try {
    let { status, text } = await asked(
      place,
      '/chat/completions',
      bodyOf(name, 'max_tokens'),
      AbortSignal.any([signal, late]),
    );
    if (status === 400 && text.includes('max_completion_tokens')) {
      const body = bodyOf(name, 'max_completion_tokens');
      ({ status, text } = await asked(place, '/chat/completions', body, AbortSignal.any([signal, late])));
    }
    if (status !== 200) {
      return { ok: false, why: 'refused', said: `${status} ${reasonIn(text)}`.trim() };
    }
    return answers(text)
      ? { ok: true, milliseconds: performance.now() - began }
      : { ok: false, why: 'model', said: oneLine(text, LONGEST_SAID) };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, why: late.aborted ? 'long' : 'nothing', said: causeOf(error) };
  }
}

function bodyOf(model: string, limit: 'max_tokens' | 'max_completion_tokens'): object {
  return { model, messages: [{ role: 'user', content: SENTENCE }], [limit]: MOST_TOKENS };
}

/** One request; a redirect leads nowhere, and no more is read than may be needed. */
async function asked(
  { baseUrl, key }: ModelPlace,
  route: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(baseUrl.replace(/\/+$/, '') + route, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal,
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) {
      throw new Error('the reply is too long');
    }
    parts.push(part);
  }
  return { status: response.status, text: Buffer.concat(parts).toString('utf8') };
}

/** Whether a reply is one of a model: it may be empty, where all it was allowed went into thinking. */
function answers(text: string): boolean {
  try {
    const { choices } = JSON.parse(text) as { choices?: readonly { message?: unknown }[] };
    return typeof choices?.[0]?.message === 'object' && choices[0].message !== null;
  } catch {
    return false;
  }
}

/** What an error says of itself, as the servers word it: `{"error": {"message": …}}`, or plain. */
function reasonIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string };
    const said = typeof error === 'string' ? error : error?.message;
    return oneLine(typeof said === 'string' ? said : text, LONGEST_SAID);
  } catch {
    return oneLine(text, LONGEST_SAID);
  }
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  return oneLine(String(cause?.code ?? cause?.message ?? (error as Error).message), LONGEST_SAID);
}

/** What others say, in one line that is no icon of the editor's. */
function oneLine(text: string, longest: number): string {
  return printable(text).replace(/\s+/g, ' ').replaceAll('$(', '$ (').trim().slice(0, longest);
}
