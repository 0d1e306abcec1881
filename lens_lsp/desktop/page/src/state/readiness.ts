/** How ready Lens is to answer, in one word: it decides what is said above the question, and what the button there does. */
import type { ServerState } from '../protocol';

/** `offline`: answers come from this machine's own reader, since no model is configured. */
export type Readiness = 'ready' | 'settingUp' | 'needsYou' | 'unreachable' | 'offline';

/** What the standing follows from. */
export interface Grounds {
  readonly connected: boolean;
  readonly locked: boolean;
  readonly server: ServerState;
  readonly serverSays: string | null;
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

/** Which of the states it is. */
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
