/** What is said between the view and its page, and between `lens desktop` and the same page. Types, and nothing else. */
import type { AnswerResult, DryRunResult } from '../protocol/answer';
import type { AskParams, Scope } from '../protocol/asking';
import type { LensEvent } from '../protocol/events';
import type { Readiness } from '../standing/readiness';

/** From the page: a request or a stream of the program's HTTP, by its path; the stream is over. */
export type FromView =
  | {
      readonly type: 'request';
      readonly id: number;
      readonly method: string;
      readonly path: string;
      readonly body: unknown;
    }
  | { readonly type: 'listen'; readonly id: number; readonly path: string }
  | { readonly type: 'leave'; readonly id: number };

/** To the page: what a request came to, and one message of a stream. */
export type ToView =
  | { readonly type: 'done'; readonly id: number; readonly body: unknown }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly status: number;
      readonly code: string | null;
      readonly message: string;
    }
  | { readonly type: 'told'; readonly id: number; readonly data: unknown };

/** The body of a question: `tab` is the browser's tab that asks. */
export interface AskBody extends AskParams {
  readonly tab: string;
}

/** Something that the user has to decide before Lens goes on: whether text may leave the machine, or its set-up. */
export interface Prompt {
  readonly id: string;
  readonly message: string;
  readonly actions: readonly string[];
  /** What it is about; a model where nothing is said. */
  readonly about?: 'set-up';
}

/** One message of the stream of a question. */
export type AskMessage =
  | { readonly type: 'event'; readonly event: LensEvent }
  | { readonly type: 'progress'; readonly message: string | null; readonly percentage: number | null }
  | ({ readonly type: 'consent' } & Prompt)
  | { readonly type: 'consent-over'; readonly id: string }
  | { readonly type: 'result'; readonly result: AnswerResult | DryRunResult }
  | { readonly type: 'error'; readonly code: number; readonly name: string | null; readonly message: string };

/** A question that runs, or ended a while ago. */
export interface RunningAsk {
  readonly id: string;
  readonly tab: string | null;
  readonly question: string;
  readonly thread: string | null;
  readonly asked: string;
  /** Whether some page listens to it. */
  readonly heard: boolean;
  /** Null while it runs. */
  readonly ending: 'answered' | 'stopped' | 'failed' | null;
  readonly inThread: boolean;
  readonly answerUri: string | null;
}

/** How what answers is: `idle` until it is needed, `waiting` until it is set up, `gone` is started again by itself. */
export type ServerState = 'idle' | 'waiting' | 'starting' | 'running' | 'gone' | 'failed';

/** Where Lens stands in a window of the editor: a word, a sentence, and buttons that help, the best one first. */
export interface Standing {
  readonly is: Readiness;
  readonly name: string;
  readonly says: string;
  /** What is to be known beside it; null for nothing. */
  readonly also: string | null;
  readonly acts: readonly { readonly label: string; readonly command: Exclude<ViewCommand, 'scope'> }[];
}

/** What concerns the whole page. */
export type Happening =
  | { readonly type: 'drift'; readonly uri?: string }
  | { readonly type: 'server'; readonly state: ServerState }
  /** Of a view only: `lens desktop` says itself where it stands. */
  | ({ readonly type: 'standing' } & Standing)
  | { readonly type: 'notice'; readonly message: string }
  | { readonly type: 'answered'; readonly answerUri: string | null }
  /** Of a view only: what the user is asked, apart from any question. */
  | ({ readonly type: 'prompt' } & Prompt)
  | { readonly type: 'prompt-over'; readonly id: string }
  /** Of a view only: what a command of the editor wants. A question may be there already, and a thread. */
  | {
      readonly type: 'show';
      readonly view: 'ask' | 'map' | 'sent';
      readonly thread?: string | null;
      readonly draft?: string;
      readonly scope?: { readonly name: string; readonly scope: Scope; readonly once?: boolean };
      /** Wanted before there was a page: what was asked in that since comes first. */
      readonly early?: boolean;
    }
  | { readonly type: 'step'; readonly by: 1 | -1 }
  /** Of a view only: settings or folders changed. */
  | { readonly type: 'changed' };

/** Where questions look, as the user chose it in the editor. */
export interface Folder {
  readonly uri: string;
  readonly name: string;
  /** Of `lens desktop` only: it was opened there and can be closed there; others are of the user's settings. */
  readonly opened?: boolean;
}

/** Of `lens desktop` only: a folder that was opened there before. */
export interface RecentFolder {
  readonly path: string;
  readonly name: string;
  /** The path as people write it, with `~`. */
  readonly shown: string;
  /** Whether it is still there. */
  readonly there: boolean;
}

/** The folders that are searched; of `lens desktop`, those that are not open now and were before. */
export interface Opened {
  readonly folders: readonly Folder[];
  readonly recent?: readonly RecentFolder[];
}

/** Of `lens desktop` only: what may be meant by the beginning of a path, or by a name. */
export interface PathChoice {
  readonly path: string;
  readonly folder: boolean;
}

/** What is opened beside the answer. Line and column from 1. */
export interface OpenBody {
  readonly uri: string;
  readonly line?: number;
  readonly column?: number;
  /** Of a view only: in code points, and what stands there. */
  readonly span?: readonly [number, number];
  readonly quote?: string | null;
  readonly page?: number;
  /** The keyboard stays where it is. */
  readonly keep?: boolean;
}

/** What can be done with an answer by a command of the editor. */
export type AnswerCommand = 'insert' | 'export' | 'open' | 'references';

/** Commands of the editor that the page has buttons for. */
export type ViewCommand =
  | 'chooseModel'
  | 'settings'
  | 'log'
  | 'restart'
  | 'setUp'
  | 'scope'
  | 'show'
  | 'python'
  | 'trust'
  | 'readDocuments';
