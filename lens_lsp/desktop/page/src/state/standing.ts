/** Where Lens stands, for people. */
import { computed } from '@preact/signals';

import * as api from '../api';
import type { Standing as ToldStanding } from '../protocol';
import { type Grounds, type Readiness, readinessOf } from '../readiness';
import { editor } from '../surface';
import { words } from '../words';
import { connected, locked, prompts, serverState, standingTold, status, tellFailure, turnsOf } from './page';
import { go } from './route';
import type { Turn } from './turn';

/** Where Lens stands: `says` is for people, `acts` what helps, the best first. */
export interface Standing {
  readonly is: Readiness;
  readonly name: string;
  readonly says: string;
  /** What is to be known beside it. */
  readonly also: string | null;
  readonly acts: readonly { readonly label: string; readonly do: () => void }[];
}

/** What keeps the page from working, above every view; in an editor the line above the question says it. */
export const alarm = computed((): string | null => {
  if (editor !== undefined) {
    return null;
  }
  if (locked.value) {
    return words.failures.locked;
  }
  if (!connected.value) {
    return words.failures.disconnected;
  }
  return serverState.value === 'gone' ? words.failures.serverGone : null;
});

/** The last turn that a model was to answer: one that nothing listens for was never called. */
function lastOf(turns: Iterable<readonly Turn[]>): Turn | undefined {
  const ended = [...turns]
    .flat()
    .filter(
      ({ result, ledger, stopped }) =>
        result !== null && (stopped === 'model-failed' || (ledger?.calls.total ?? 1) > 0),
    );
  return ended.sort((one, other) => (one.asked ?? '').localeCompare(other.asked ?? '')).at(-1);
}

/** Inside of an editor its extension says where Lens stands, and has the commands that help. */
function told({ acts, ...standing }: ToldStanding): Standing {
  const run = (id: ToldStanding['acts'][number]['command']) => () => void api.command(id).catch(tellFailure);
  return { ...standing, acts: acts.map(({ label, command }) => ({ label, do: run(command) })) };
}

/** Where Lens stands now. */
export const standing = computed((): Standing => (standingTold.value === null ? own() : told(standingTold.value)));

function own(): Standing {
  const judge = status.value?.judge ?? null;
  const grounds: Grounds = {
    connected: connected.value,
    locked: locked.value,
    server: serverState.value,
    asked: prompts.value.length > 0,
    judge,
    modelFailed: lastOf(turnsOf.value.values())?.stopped === 'model-failed',
  };
  const is = readinessOf(grounds);
  const says = words.standing;
  const of = (said: string, act?: string): Standing => {
    const acts = act === undefined ? [] : [{ label: act, do: () => go({ view: 'settings' }) }];
    return { is, name: says.names[is], says: said, also: null, acts };
  };
  switch (is) {
    case 'needsYou':
      return locked.value
        ? { ...of(words.failures.locked), name: says.locked }
        : of(grounds.asked ? says.asked : says.failed);
    case 'settingUp':
      return of(connected.value ? says.starting : words.failures.disconnected);
    case 'unreachable':
      return of(judge?.problem ?? says.unreachable(judge?.endpoint ?? ''), says.choose);
    case 'offline':
      return of(judge?.endpoint == null ? says.noModel : says.offline, says.choose);
    case 'ready':
      return judge === null ? of(says.ready, says.choose) : of(saysOf(judge), says.change);
  }
}

/** Who words the answer, and whether anything leaves the machine for it. */
function saysOf({ model, endpoint, consent }: NonNullable<Grounds['judge']>): string {
  const name = model ?? '';
  const host = endpoint ?? '';
  if (consent === 'local') {
    return words.ask.local(name);
  }
  const remote = words.ask.remote(name, host);
  return consent === 'missing' ? `${remote} ${words.ask.asksFirst(host)}` : remote;
}
