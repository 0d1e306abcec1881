/** Questions on their way: begun, followed, ended, and found again after a reload. */
import { signal } from '@preact/signals';

import * as api from '../api';
import type { AskMessage, DryRunResult, Prompt, RunningAsk, Scope } from '../protocol';
import { editor } from '../surface';
import { words } from '../words';
import { joined } from './kept';
import { loadLedger, loadThreads, recheckSoon, watchSources } from './knowing';
import {
  announcement,
  type ChosenScope,
  changeTurn,
  chosenMode,
  chosenScope,
  draft,
  folders,
  fresh,
  newThread,
  prompts,
  setTurns,
  tab,
  tellFailure,
  thread,
  turns,
  turnsOf,
} from './page';
import { noteAnswer } from './recent';
import { go, route } from './route';
import { chosenSources } from './sources';
import { begun, ended, heard, stopped, type Turn } from './turn';

/** What the program is told of where to look. */
export function scopeOf(chosen: ChosenScope): Scope {
  switch (chosen.kind) {
    case 'everything':
      return chosenSources();
    case 'folder':
      return { folders: [chosen.uri] };
    case 'files':
      return { globs: [chosen.glob] };
    case 'document':
      return { uri: chosen.uri };
    case 'chosen':
      return chosen.scope;
  }
}

/** Whether a question was asked on this page since it came. */
export const asked = signal(false);

/** Asks what is in the ask box, in the thread that is shown; `anew` takes up nothing that was proven before. */
export async function submit(question: string, anew = false): Promise<void> {
  asked.value = true;
  const name = thread.value ?? newThread();
  const scope = scopeOf(chosenScope.value);
  const turn = begun({
    key: crypto.randomUUID(),
    question,
    scope,
    mode: chosenMode.value,
    asked: new Date().toISOString(),
  });
  setTurns(name, (turns) => [...turns, turn]);
  draft.value = '';
  if (chosenScope.value.kind === 'chosen' && chosenScope.value.once === true) {
    chosenScope.value = { kind: 'everything' };
  }
  announcement.value = words.live.searching;
  if (route.value.view !== 'ask' || route.value.thread !== name) {
    const types = document.activeElement?.id === 'question';
    go({ view: 'ask', thread: name });
    fresh.value = newThread();
    if (types) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#question')?.focus()); // it is another one now
    }
  }
  try {
    const id = await api.ask({ question, scope, mode: chosenMode.value, thread: name, tab, ...(anew && { anew }) });
    changeTurn(turn.key, (now) => ({ ...now, ask: id }));
    attach(turn.key, id);
    if (turnOf(turn.key)?.state === 'cancelled') {
      await api.cancel(id);
    }
  } catch (error) {
    changeTurn(turn.key, (now) => ended(now, 'failed', error instanceof Error ? error.message : String(error)));
  }
}

/** Asks a question again: one that was answered is judged anew, of one that was cut off goes on what was proven. */
export async function again({ question, state }: Turn): Promise<void> {
  await submit(question, state === 'done');
}

/** Refusals that concern a model alone: without one the question can be answered all the same. */
const WITHOUT_MODEL = new Set(['lens.usage', 'lens.config', 'lens.model', 'lens.keyring']);

/** Asks once more, without the model that could not be asked. False: that would not help. */
function askedWithout(key: string, message: AskMessage): boolean {
  const turn = turnOf(key);
  if (message.type !== 'error' || !WITHOUT_MODEL.has(message.name ?? '') || turn?.state !== 'asking') {
    return false;
  }
  if (turn.mode !== 'auto' || turn.without !== null) {
    return false;
  }
  const { question, scope } = turn;
  changeTurn(key, (now) => ({ ...now, without: message.message }));
  const name = [...turnsOf.value].find(([, turns]) => turns.some((each) => each.key === key))?.[0];
  const body = { question, scope, mode: 'evidence' as const, tab, ...(name !== undefined && { thread: name }) };
  api.ask(body).then(
    (id) => {
      changeTurn(key, (now) => ({ ...now, ask: id }));
      attach(key, id);
    },
    (error: unknown) => changeTurn(key, (now) => ended(now, 'failed', String(error))),
  );
  return true;
}

function attach(key: string, id: string): void {
  const hear = (message: AskMessage) => {
    if (askedWithout(key, message)) {
      return;
    }
    changeTurn(key, (now) => heard(now, message, rootsOf(now.scope)));
    say(key, message);
    if (message.type === 'result' || message.type === 'error') {
      noteAnswer(turnOf(key));
      void loadThreads();
      void loadLedger();
      void watchShown(key);
      recheckSoon(turnOf(key)?.answerUri ?? undefined);
    }
  };
  api.follow(id, hear, () => changeTurn(key, (now) => ended(now, 'failed', words.failures.streamLost)));
}

/** In an editor the sources of what is shown are watched; the program follows those of its own questions. */
async function watchShown(key: string): Promise<void> {
  if (editor !== undefined && turns.value.some((each) => each.key === key)) {
    await watchSources(turns.value).catch(() => undefined); // the next look at the sources tells it all the same
  }
}

/** The folders that passages may be in while their question runs. */
function rootsOf(scope: Scope): readonly string[] {
  return scope.folders === undefined && scope.uri === undefined ? folders.value.map(({ uri }) => uri) : [];
}

function turnOf(key: string): Turn | undefined {
  return [...turnsOf.value.values()].flat().find((turn) => turn.key === key);
}

/** What is worth interrupting a screen reader's user for, and no more. */
function say(key: string, message: AskMessage): void {
  const turn = turnOf(key);
  if (turn === undefined) {
    return;
  }
  if (message.type === 'event' && message.event.type === 'planned') {
    announcement.value = words.live.planned(turn.needs.length);
  } else if (message.type === 'event' && message.event.type === 'covered') {
    announcement.value = words.live.covered(
      turn.needs.filter((need) => need.status === 'covered').length,
      turn.needs.length,
    );
  } else if (message.type === 'result' || message.type === 'error') {
    announcement.value = words.live.ended(turn);
  }
}

/** Ends a question: at once for the user; what was found until then comes as its answer. */
export async function stop(turn: Turn): Promise<void> {
  changeTurn(turn.key, stopped);
  announcement.value = words.live.stopped;
  if (turn.ask !== undefined) {
    await api.cancel(turn.ask).catch(tellFailure);
  }
}

/** Answers the prompt of a question. */
export async function answerConsent(turn: Turn, action: string | null): Promise<void> {
  const prompt = turn.consent;
  if (prompt === null) {
    return;
  }
  changeTurn(turn.key, (now) => ({ ...now, consent: null }));
  await api.consent(prompt.id, action).catch(tellFailure);
}

/** Answers what the user is asked apart from any question. */
export async function answerPrompt({ id }: Prompt, action: string | null): Promise<void> {
  prompts.value = prompts.value.filter((each) => each.id !== id);
  await api.consent(id, action).catch(tellFailure);
}

/** What would be sent for a question, of which nothing is kept. */
export async function preview(question: string): Promise<DryRunResult> {
  const scope = scopeOf(chosenScope.value);
  const id = await api.ask({ question, scope, mode: chosenMode.value, dryRun: true, tab });
  return new Promise((resolve, reject) => {
    const hear = (message: AskMessage) => {
      if (message.type === 'result') {
        resolve(message.result as DryRunResult);
      } else if (message.type === 'error') {
        reject(new Error(message.message));
      }
    };
    api.follow(id, hear, () => reject(new Error(words.failures.streamLost)));
  });
}

/**
 * Follows the questions again that a reload cut off, and those of a page that is gone; with what became of those that
 * ended without an answer that is kept.
 */
export async function resume(): Promise<void> {
  const all = await api.asks();
  const lost = all.filter((each) => (each.tab === tab || !each.heard) && !isKept(each) && !isReplaced(each, all));
  for (const each of lost.reverse()) {
    resumeOne(each);
  }
}

function isKept({ ending, answerUri }: RunningAsk): boolean {
  return ending === 'answered' && answerUri !== null;
}

/** Whether it failed and was asked again since: that one stands for both, and this one would be asked once more. */
function isReplaced({ ending, question, thread: name, asked }: RunningAsk, all: readonly RunningAsk[]): boolean {
  return (
    ending === 'failed' && all.some((each) => each.question === question && each.thread === name && each.asked > asked)
  );
}

function resumeOne({ id, question, thread: name, asked, inThread }: RunningAsk): void {
  const known = [...turnsOf.value.values()].flat().some((turn) => turn.ask === id);
  if (known || name === null) {
    return;
  }
  const turn = begun({ key: id, ask: id, question, asked, inThread });
  setTurns(name, (turns) => joined(turns, [turn]));
  attach(turn.key, id);
}
