/** Where Lens stands, for people. */
import { computed } from '@preact/signals';

import * as api from '../api';
import { editor } from '../surface';
import { words } from '../words';
import { connected, locked, prompts, serverSays, serverState, status, tellFailure, turnsOf } from './page';
import { type Grounds, type Readiness, readinessOf } from './readiness';
import { go } from './route';
import type { Turn } from './turn';

/** Where Lens stands: `says` is for people, `act` what helps, if anything does. */
export interface Standing {
  readonly is: Readiness;
  readonly says: string;
  readonly act?: { readonly label: string; readonly do: () => void };
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

function run(id: Parameters<typeof api.command>[0]): () => void {
  return () => void api.command(id).catch(tellFailure);
}

const chooseModel = editor === undefined ? () => go({ view: 'settings' }) : run('chooseModel');

/** Where Lens stands now. */
export const standing = computed((): Standing => {
  const judge = status.value?.judge ?? null;
  const grounds: Grounds = {
    connected: connected.value,
    locked: locked.value,
    server: serverState.value,
    serverSays: serverSays.value,
    asked: prompts.value.length > 0,
    judge,
    modelFailed: lastOf(turnsOf.value.values())?.stopped === 'model-failed',
  };
  const is = readinessOf(grounds);
  const says = words.standing;
  switch (is) {
    case 'needsYou':
      return locked.value
        ? { is, says: words.failures.locked }
        : grounds.asked
          ? { is, says: says.asked }
          : grounds.server === 'failed'
            ? {
                is,
                says: grounds.serverSays ?? says.failed,
                act: { label: says.tryAgain, do: run('setUp') },
              }
            : { is, says: says.waiting, act: { label: says.setUp, do: run('setUp') } };
    case 'settingUp':
      return { is, says: grounds.serverSays ?? (connected.value ? says.starting : words.failures.disconnected) };
    case 'unreachable':
      return {
        is,
        says: judge?.problem ?? says.unreachable(judge?.endpoint ?? ''),
        act: { label: says.choose, do: chooseModel },
      };
    case 'offline':
      return { is, says: says.offline, act: { label: says.choose, do: chooseModel } };
    case 'ready':
      return {
        is,
        says: judge === null ? says.ready : saysOf(judge),
        act: { label: says.change, do: chooseModel },
      };
  }
});

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
