/** What earlier questions left: threads, clusters, the ledger, and whether their sources still say so. */
import { signal } from '@preact/signals';

import * as api from '../api';
import { rpc } from '../api';
import type {
  Cluster,
  ClustersResult,
  LedgerResult,
  RecheckResult,
  StatusResult,
  Thread,
  ThreadsResult,
} from '../protocol';
import { words } from '../words';
import { changeTurn, folders, setTurns, status, tell, tellFailure, threads, turns, turnsOf } from './page';
import { begun, kept, rechecked, type Turn } from './turn';

export const clusters = signal<readonly Cluster[] | null>(null);
export const ledger = signal<LedgerResult | null>(null);

const LEDGER_QUESTIONS = 100;

export async function loadThreads(): Promise<void> {
  threads.value = (await rpc<ThreadsResult>('lens/threads')).threads;
}

export async function loadLedger(): Promise<void> {
  ledger.value = await rpc<LedgerResult>('lens/ledger', { questions: LEDGER_QUESTIONS });
}

/** All clusters, with a look at what each cites. */
export async function loadClusters(): Promise<void> {
  const all = (await rpc<ClustersResult>('lens/clusters', { fresh: true })).clusters;
  clusters.value = all.filter(({ archived }) => !archived);
}

/** What is searched, and who would judge. */
export async function loadSurroundings(): Promise<void> {
  const [found, state] = await Promise.all([api.folders(), rpc<StatusResult>('lens/status', { judge: true })]);
  folders.value = found;
  status.value = state;
}

/** Brings the questions of a kept thread onto the page, unless they are there. */
export async function openThread(name: string): Promise<void> {
  const thread = threads.value?.find((each) => each.name === name);
  if (thread === undefined || thread.questions.length <= (turnsOf.value.get(name)?.length ?? 0)) {
    return;
  }
  const ids = [...new Set(thread.questions.flatMap(({ cluster }) => (cluster === null ? [] : [cluster])))];
  const known = ids.length === 0 ? [] : (await rpc<ClustersResult>('lens/clusters', { ids })).clusters;
  const earlier = thread.questions.map((asked, at) => keptTurn(`${name} ${at}`, asked, known));
  setTurns(name, (now) => [...earlier.slice(0, Math.max(0, earlier.length - now.filter(ended).length)), ...now]);
  recheckSoon();
}

function ended({ state }: Turn): boolean {
  return state === 'done';
}

function keptTurn(key: string, asked: Thread['questions'][number], known: readonly Cluster[]): Turn {
  const cluster = known.find(({ id }) => id === asked.cluster);
  const turn = cluster && kept(key, cluster, asked.question, asked.typed);
  return turn ?? begun({ key, question: asked.typed, state: 'done', answerUri: asked.answerUri, asked: asked.asked });
}

let checking: ReturnType<typeof setTimeout> | undefined;
const SOON_MILLISECONDS = 400;

/** Looks the shown sources up again in a moment; several wishes are one look. */
export function recheckSoon(): void {
  clearTimeout(checking);
  checking = setTimeout(() => void recheck({ quiet: true }), SOON_MILLISECONDS);
}

/** Looks the sources of all that was answered up again. */
export async function recheck({ quiet = false } = {}): Promise<void> {
  const shown = turns.value;
  if (!shown.some(({ passages }) => passages.length > 0)) {
    return;
  }
  try {
    const { citations } = await rpc<RecheckResult>('lens/recheck');
    for (const { key } of shown) {
      changeTurn(key, (turn) => rechecked(turn, citations));
    }
    if (!quiet) {
      tell(words.recheck.done(turns.value.flatMap(({ passages }) => passages)));
    }
  } catch (error) {
    if (!quiet) {
      tellFailure(error);
    }
  }
}

/** Forgets a cluster for good. */
export async function forget(id: string): Promise<void> {
  await rpc('lens/forget', { ids: [id] });
  await Promise.all([loadClusters(), loadThreads()]);
}
