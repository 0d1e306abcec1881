/**
 * How ready Lens is to answer, in one word. The one place that decides it: the page of `lens desktop`, the view in the
 * side bar, the status bar and the walkthrough all go by it.
 */

import type { ServerState } from '../views/messages';

/** `offline`: answers come from this machine's own reader, since no model is configured or wanted. */
export type Readiness = 'ready' | 'settingUp' | 'needsYou' | 'unreachable' | 'offline';

/** What it follows from. */
export interface Grounds {
  /** Whether what is shown and what answers reach each other; always, inside of an editor. */
  readonly connected: boolean;
  readonly locked: boolean;
  readonly server: ServerState;
  /** Whether a question to the user waits for its answer. */
  readonly asked: boolean;
  /** Null until it is known. */
  readonly judge: {
    readonly endpoint: string | null;
    readonly model: string | null;
    readonly consent: string | null;
    readonly mode: string;
    readonly problem: string | null;
  } | null;
  /** The last question with a model failed for want of it. */
  readonly modelFailed: boolean;
}

/** Which of the states it is: what waits for the user counts first, then what is under way, then the model. */
export function readinessOf({ connected, locked, server, asked, judge, modelFailed }: Grounds): Readiness {
  if (locked || asked || server === 'waiting' || server === 'failed') {
    return 'needsYou';
  }
  if (!connected || server === 'gone' || server === 'starting') {
    return 'settingUp';
  }
  if (judge !== null && (judge.problem !== null || (modelFailed && judge.endpoint !== null))) {
    return 'unreachable';
  }
  return judge !== null && (judge.endpoint === null || judge.mode === 'evidence') ? 'offline' : 'ready';
}
