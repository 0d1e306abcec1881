/** What earlier questions left: threads, clusters, the ledger, and whether their sources still say so. */
import { signal } from '@preact/signals';

import * as api from '../api';
import { rpc } from '../api';
import type {
  Cluster,
  ClustersResult,
  KeptAnswer,
  LedgerResult,
  Opened,
  RecheckResult,
  StatusResult,
  ThreadsResult,
  WrongResult,
} from '../protocol';
import { editor } from '../surface';
import { words } from '../words';
import { joined, kept, type Noted, unshown, written } from './kept';
import {
  changeTurn,
  chosenScope,
  folders,
  recent,
  setTurns,
  status,
  tell,
  tellFailure,
  thread,
  threads,
  turns,
  turnsOf,
} from './page';
import { asItCame, forgetRecent } from './recent';
import { go } from './route';
import { begun, covers, rechecked, type Turn } from './turn';

export const clusters = signal<readonly Cluster[] | null>(null);
export const ledger = signal<LedgerResult | null>(null);

const LEDGER_QUESTIONS = 100;
/** Answers of a thread whose sources are watched, the last ones. */
const MOST_WATCHED = 50;

let fetching: Promise<void> | undefined;
let fetchingNext: Promise<void> | undefined;

/** All threads as they are from now on; who asks while others wait for that waits with them: a long history is large. */
export function loadThreads(): Promise<void> {
  fetchingNext ??= (fetching ?? Promise.resolve())
    .catch(() => undefined)
    .then(() => {
      fetching = fetchingNext;
      fetchingNext = undefined;
      return fetchThreads();
    });
  return fetchingNext;
}

async function fetchThreads(): Promise<void> {
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

export async function loadFolders(): Promise<void> {
  showOpened(await api.folders());
}

/** Shows which folders are searched now. */
export function showOpened(opened: Opened): void {
  folders.value = opened.folders;
  recent.value = opened.recent;
  const { value: chosen } = chosenScope;
  const below = (uri: string) =>
    opened.folders.some((folder) => uri === folder.uri || uri.startsWith(`${folder.uri}/`));
  if (editor === undefined && (chosen.kind === 'folder' || chosen.kind === 'document') && !below(chosen.uri)) {
    chosenScope.value = { kind: 'everything' };
  }
}

/** Who would judge. */
export async function loadStatus(): Promise<void> {
  status.value = await rpc<StatusResult>('lens/status', { judge: true });
}

/** Brings the questions of a kept thread onto the page, unless they are there. */
export async function openThread(name: string): Promise<void> {
  const conversation = threads.value?.find((each) => each.name === name);
  if (conversation === undefined || unshown(conversation.questions, turnsOf.value.get(name) ?? []).length === 0) {
    return;
  }
  const ids = [...new Set(conversation.questions.flatMap(({ cluster }) => (cluster === null ? [] : [cluster])))];
  const known = ids.length === 0 ? [] : (await rpc<ClustersResult>('lens/clusters', { ids })).clusters;
  const earlier = await Promise.all(conversation.questions.map((noted, at) => keptTurn(`${name} ${at}`, noted, known)));
  setTurns(name, (now) => {
    const before = unshown(conversation.questions, now).map((at) => earlier[at] as Turn);
    return joined(before, now);
  });
  recheckSoon();
  await watchSources(turnsOf.value.get(name) ?? []);
}

/** Looks the sources of a thread up again that is shown now: while another one was, nobody did. */
export async function lookAgain(name: string): Promise<void> {
  const shown = turnsOf.peek().get(name) ?? [];
  recheckSoon();
  if (shown.length > 0) {
    await watchSources(shown);
  }
}

/** Has the program tell when a source of these questions changes. */
export async function watchSources(all: readonly Turn[]): Promise<void> {
  const answers = all.flatMap(({ answerUri }) => (answerUri === null ? [] : [answerUri]));
  const sources = all.flatMap(({ passages }) => passages.flatMap(({ uri }) => (uri === null ? [] : [uri])));
  await api.watch(answers.slice(-MOST_WATCHED), [...new Set(sources)].slice(-MOST_WATCHED));
}

async function keptTurn(key: string, noted: Noted, known: readonly Cluster[]): Promise<Turn> {
  const cluster = known.find(({ id }) => id === noted.cluster);
  const turn = cluster && kept(noted, key, cluster);
  if (turn !== undefined) {
    return asItCame(turn);
  }
  const { typed, answerUri, asked } = noted;
  const none = begun({ key, question: typed, state: 'done', answerUri, asked, inThread: true });
  if (answerUri === null) {
    return none;
  }
  const uris = folders.value.map(({ uri }) => uri);
  return rpc<KeptAnswer>('lens/answer', { answer: answerUri })
    .then((file) => asItCame(written(noted, key, file, uris)))
    .catch(() => none);
}

const dueUris = new Set<string>();
let everythingDue = false;
let checking: ReturnType<typeof setTimeout> | undefined;
const SOON_MILLISECONDS = 400;

/** Looks the sources of one answer, or of all that are shown, up again in a moment; several wishes are one look. */
export function recheckSoon(answerUri?: string): void {
  if (answerUri === undefined) {
    everythingDue = true;
  } else {
    dueUris.add(answerUri);
  }
  clearTimeout(checking);
  checking = setTimeout(() => {
    const all = everythingDue;
    const due = turns.value.filter((turn) => all || (turn.answerUri !== null && dueUris.has(turn.answerUri)));
    everythingDue = false;
    dueUris.clear();
    void recheck(due, { quiet: true });
  }, SOON_MILLISECONDS);
}

/** Looks the sources of answers up again. */
export async function recheck(of: readonly Turn[], { quiet = false } = {}): Promise<void> {
  const due = of.filter(({ passages, state }) => passages.length > 0 && state !== 'asking');
  try {
    const left = (await Promise.all(due.map(recheckOne))).flat();
    if (left.length > 0) {
      await recheckAll(left);
    }
    if (!quiet && due.length > 0) {
      const keys = new Set(due.map(({ key }) => key));
      tell(words.recheck.done(turns.value.flatMap(({ key, passages }) => (keys.has(key) ? passages : []))));
    }
  } catch (error) {
    if (!quiet) {
      tellFailure(error);
    }
  }
}

/** Looks up what the file of an answer cites; gives the answer back where that is not what is shown. */
async function recheckOne(turn: Turn): Promise<readonly Turn[]> {
  const { key, answerUri } = turn;
  if (answerUri === null) {
    return [turn];
  }
  try {
    const { citations } = await rpc<RecheckResult>('lens/recheck', { uri: answerUri });
    changeTurn(key, (now) => rechecked(now, citations));
    return covers(citations, turn) ? [] : [turn];
  } catch {
    return [turn]; // its file is gone: the look at everything tells what there is to tell
  }
}

/** Looks up all that is known. */
async function recheckAll(due: readonly Turn[]): Promise<void> {
  const { citations } = await rpc<RecheckResult>('lens/recheck');
  for (const { key } of due) {
    changeTurn(key, (now) => rechecked(now, citations));
  }
}

/** Withdraws clusters whose answers are wrong. */
export async function callWrong(ids: readonly string[]): Promise<void> {
  const { checks } = await rpc<WrongResult>('lens/wrong', { ids });
  tell(words.map.withdrawn(checks.length));
  await Promise.all([loadClusters(), loadThreads()]);
}

/** Withdraws what is known of the answer that is shown. */
export async function callTurnWrong({ key, answerUri }: Turn): Promise<void> {
  forgetRecent();
  const known = (await rpc<ClustersResult>('lens/clusters', {})).clusters;
  const wrong = known.filter(({ questions }) => questions.some((each) => each.answerUri === answerUri));
  if (wrong.length > 0) {
    await callWrong(wrong.map(({ id }) => id));
    changeTurn(key, (now) => ({ ...now, calledWrong: true }));
  }
}

/** Deletes a conversation for good, with the answers that only it came upon. */
export async function deleteThread(name: string): Promise<void> {
  forgetRecent();
  await rpc('lens/forget', { threads: [name] });
  if (thread.value === name) {
    go({ view: 'ask', thread: null });
  }
  threads.value = threads.value?.filter((each) => each.name !== name) ?? null; // or it would be brought back at once
  setTurns(name, () => []);
  await loadThreads();
  tell(words.navigation.deleted);
}

/** Forgets a cluster for good. */
export async function forget(id: string): Promise<void> {
  forgetRecent();
  await rpc('lens/forget', { ids: [id] });
  await Promise.all([loadClusters(), loadThreads()]);
}
