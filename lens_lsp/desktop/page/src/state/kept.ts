/** The questions of a thread as the program kept them, brought among those that the page shows already. */
import type { Cluster, KeptAnswer, Thread } from '../protocol';
import { placesOfFile, wordsOfFile } from '../text/answerFile';
import { pathBelow } from '../text/places';
import { begun, type Passage, type Turn } from './turn';

/** A question of a thread, as the program tells of it. `asked` is when it was noted there: once it was answered. */
export type Noted = Thread['questions'][number];

/** A question of a thread with the answer that its cluster knows, the latest. */
export function kept(noted: Noted, key: string, cluster: Cluster): Turn | undefined {
  const found = cluster.questions.findLast((each) => each.question === noted.question) ?? cluster.questions.at(-1);
  if (found === undefined) {
    return undefined;
  }
  const ids = found.evidence;
  const passages = ids.flatMap((id, at): Passage[] => {
    const citation = cluster.citations.find((each) => each.id === id);
    return citation === undefined ? [] : [{ ...citation, n: at + 1, line: null, cited: true }];
  });
  const facts = cluster.facts.filter(({ id, retired }) => found.facts.includes(id) && !retired);
  const needs = facts.map((fact) => ({
    id: fact.id,
    text: fact.text,
    status: fact.status,
    value: fact.value,
    confidence: fact.confidence,
    evidence: fact.evidence.map((id) => ids.indexOf(id) + 1).filter((n) => n > 0),
  }));
  const { answer, mode, status, answerUri } = found;
  return begun({
    key,
    question: noted.typed,
    state: 'done',
    answer,
    mode,
    status,
    asked: noted.asked,
    answerUri,
    needs,
    passages,
    inThread: true,
  });
}

/** A question as the file of its answer says it: of what proved nothing, nothing else is kept. */
export function written(noted: Noted, key: string, file: KeptAnswer, folders: readonly string[]): Turn {
  const places = placesOfFile(file.text);
  const passages = file.citations.map(({ label, uri, quote, span }, at): Passage => {
    const { line = null, page = null } = places.get(label) ?? {};
    return {
      n: at + 1,
      uri,
      path: pathBelow(folders, uri),
      span: span ?? [0, 0],
      quote,
      line,
      heading: [],
      locator: page === null ? null : { page },
      cited: true,
    };
  });
  const { typed, answerUri } = noted;
  const answer = wordsOfFile(file.text);
  return begun({
    key,
    question: typed,
    state: 'done',
    answer,
    passages,
    answerUri,
    asked: noted.asked,
    inThread: true,
  });
}

/**
 * Which questions of a thread, by their place, are not among those that the page shows already. One that was asked
 * several times is noted each time, after it was asked: what is shown is the first that was noted since then.
 */
export function unshown(noted: readonly Noted[], turns: readonly Turn[]): readonly number[] {
  const left = new Set(noted.keys());
  const take = ({ question }: Turn, fits: (at: number) => boolean, order: Iterable<number>) => {
    for (const at of order) {
      if (left.has(at) && noted[at]?.typed === question && fits(at)) {
        left.delete(at);
        return true;
      }
    }
    return false;
  };
  const forwards = [...noted.keys()];
  const since = (turn: Turn) => (at: number) => Date.parse(noted[at]?.asked ?? '') >= Date.parse(turn.asked ?? '');
  // One that still runs may have been noted this moment.
  const may = turns.filter(({ inThread, state }) => inThread || state === 'asking');
  const unclear = may.filter((turn) => !take(turn, since(turn), forwards));
  // The clock of who asked, where it was another one, may be wrong.
  for (const turn of unclear.filter(({ inThread }) => inThread).reverse()) {
    take(turn, () => true, forwards.toReversed());
  }
  return [...left];
}

/** Questions of a thread with others of it, in the order in which they were asked. */
export function joined(some: readonly Turn[], others: readonly Turn[]): readonly Turn[] {
  return [...some, ...others].sort((one, other) => Date.parse(one.asked ?? '') - Date.parse(other.asked ?? ''));
}
