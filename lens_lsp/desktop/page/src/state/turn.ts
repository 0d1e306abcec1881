/** One question and all that is known of it: messages of its stream go in, what is shown comes out. */
import type {
  AnswerResult,
  AskMessage,
  CheckedCitation,
  ContextPart,
  EventEvidence,
  Evidence,
  Ledger,
  LensEvent,
  Mode,
  Prompt,
  RequirementResult,
  Scope,
} from '../protocol';
import { uriBelow } from '../text/places';

/** What became of a required fact so far; `searching` until the search says more. */
export type NeedStatus = 'searching' | RequirementResult['status'];

/** A fact that the question needs. */
export interface Need {
  readonly id: string;
  readonly text: string;
  readonly status: NeedStatus;
  readonly value: string | null;
  readonly confidence: number | null;
  /** Numbers of passages. */
  readonly evidence: readonly number[];
}

/** A passage, wherever it was told of. */
export interface Passage {
  readonly n: number;
  /** Null until it is known which file it is. */
  readonly uri: string | null;
  readonly path: string;
  /** Code points in the text of the document. */
  readonly span: readonly [number, number];
  readonly quote: string;
  /** Where the quote was cut, and what stands around it; not told of answers that were kept. */
  readonly cut?: readonly ('start' | 'end')[];
  readonly context?: readonly ContextPart[];
  /** From 1. */
  readonly line: number | null;
  readonly heading: readonly string[];
  readonly locator: Readonly<Record<string, unknown>> | null;
  /** Cited by the answer; others were found on the way. */
  readonly cited: boolean;
  /** After the last look at its source; undefined before the first. */
  readonly checked?: CheckedCitation;
}

/** The line of a passage. Answers that were kept do not always say it: the look at their source does. */
export function lineOf({ line, checked }: Pick<Passage, 'line' | 'checked'>): number | null {
  return line ?? checked?.now?.start?.line ?? null;
}

/** How far a question is. */
export type TurnState = 'asking' | 'done' | 'cancelled' | 'failed';

/** A question, and what is known of its answer. */
export interface Turn {
  /** Of the page alone. */
  readonly key: string;
  /** Its stream; undefined for an answer that was kept. */
  readonly ask?: string;
  readonly question: string;
  readonly scope: Scope;
  readonly mode: Mode;
  readonly state: TurnState;
  readonly status: AnswerResult['status'] | null;
  readonly stopped: AnswerResult['stopped'] | null;
  readonly needs: readonly Need[];
  readonly passages: readonly Passage[];
  /** Found on the way, and not chosen for the answer. */
  readonly passedOver: readonly Passage[];
  /** Markdown with `[n]`. */
  readonly answer: string;
  /** What the numbers in it mean: the passages that were cited when it began. */
  readonly cites: string;
  /** The words of the answer are not checked yet; of a question that was stopped they never were. */
  readonly checking: boolean;
  /** Words that others took the place of, or would have: those that a stop broke off. */
  readonly broken: { readonly answer: string; readonly cites: string; readonly checking: boolean } | null;
  /** Of the search, where told. */
  readonly found: number;
  readonly scanned: number;
  readonly round: number;
  readonly percentage: number | null;
  readonly consent: Prompt | null;
  readonly failure: string | null;
  /** Why no model was asked, where one was meant to be. */
  readonly without: string | null;
  readonly ledger: Ledger | null;
  readonly result: AnswerResult | null;
  readonly answerUri: string | null;
  /** The user called the answer wrong, and it was withdrawn. */
  readonly calledWrong?: true;
  /** When it was asked, where that is known. */
  readonly asked: string | null;
  /** Whether the program has it in its thread, too. */
  readonly inThread: boolean;
}

const MOST_PASSAGES = 60;
const LONGEST_ANSWER = 200_000;
const DECLINED = 'lens.consent';
const CANCELLED = 'lens.cancelled';

/** A question of which nothing is known yet. */
export function begun(from: Pick<Turn, 'key' | 'question'> & Partial<Turn>): Turn {
  return {
    scope: {},
    mode: 'auto',
    state: 'asking',
    status: null,
    stopped: null,
    needs: [],
    passages: [],
    passedOver: [],
    answer: '',
    cites: '',
    checking: false,
    broken: null,
    found: 0,
    scanned: 0,
    round: 0,
    percentage: null,
    consent: null,
    failure: null,
    without: null,
    ledger: null,
    result: null,
    answerUri: null,
    asked: null,
    inThread: false,
    ...from,
  };
}

/** The question after one more message. `roots` are the URIs that live passages may be in. */
export function heard(turn: Turn, message: AskMessage, roots: readonly string[]): Turn {
  switch (message.type) {
    case 'event':
      return afterEvent(turn, message.event, roots);
    case 'progress':
      return { ...turn, percentage: message.percentage ?? turn.percentage };
    case 'consent':
      return turn.state === 'cancelled'
        ? turn
        : { ...turn, consent: { id: message.id, message: message.message, actions: message.actions } };
    case 'consent-over':
      return turn.consent?.id === message.id ? { ...turn, consent: null } : turn;
    case 'result':
      return 'answer' in message.result ? concluded(turn, message.result) : { ...turn, state: 'done' };
    case 'error':
      return afterError(turn, message.name, message.message);
  }
}

function afterError(turn: Turn, name: string | null, message: string): Turn {
  switch (name) {
    case CANCELLED:
      return ended(turn, 'cancelled', null);
    case DECLINED:
      return ended(turn, 'cancelled', message);
    default:
      return ended(turn, 'failed', message);
  }
}

function afterEvent(turn: Turn, event: LensEvent, roots: readonly string[]): Turn {
  switch (event.type) {
    case 'planned':
      return { ...turn, mode: event.mode, needs: event.plan.requirements.map(({ id, text }) => searchedFor(id, text)) };
    case 'scanned':
      return { ...turn, found: event.found, scanned: event.files };
    case 'proposed':
      return { ...turn, round: event.round, consent: null };
    case 'covered': {
      const covered = new Set(event.beliefs.filter((belief) => belief.covered).map((belief) => belief.requirement));
      const judged = (need: Need): Need => ({ ...need, status: covered.has(need.id) ? 'covered' : 'searching' });
      return { ...turn, consent: null, needs: turn.needs.map(judged) };
    }
    case 'evidenceFound':
      return withPassage(turn, livePassage(event.evidence, event.final, roots), event.final);
    case 'answerDelta':
      return brokenOff(turn) ? turn : { ...withWords(turn, event.text, event.restart), checking: event.checking };
    case 'answered': {
      const words = brokenOff(turn) ? {} : { answer: event.answer.answer, checking: false };
      return { ...turn, ...words, needs: event.answer.requirements };
    }
    default:
      return turn;
  }
}

/** Whether all that is needed is what was asked, in the words of the question: they stand above already. */
export function needsItself({ question, needs, result }: Turn): boolean {
  const [only] = needs;
  const asked = [question, result?.question ?? question].map(plain);
  return needs.length === 1 && only !== undefined && asked.includes(plain(only.text));
}

/** A question without what makes no other of it: its case, its spaces and the marks at its end. */
function plain(question: string): string {
  return question
    .replace(/[\s?.!？。！]+$/u, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** The words that the user stopped stay: what the program makes of it without them is another answer. */
function brokenOff({ state, broken }: Turn): boolean {
  return state === 'cancelled' && broken !== null;
}

function withWords(turn: Turn, text: string, restart: boolean): Turn {
  const { answer, cites, checking } = turn;
  const now = `${restart ? '' : answer}${text}`.slice(0, LONGEST_ANSWER);
  const begins = restart || answer === '';
  return {
    ...turn,
    consent: null,
    answer: now,
    cites: begins ? citedBy(turn.passages) : cites,
    broken: restart ? { answer, cites, checking } : turn.broken,
  };
}

function citedBy(passages: readonly Passage[]): string {
  const cited = passages.filter(({ cited }) => cited);
  return cited.map(({ n, path, span }) => `${n} ${path} ${span.join()}`).join('\n');
}

function searchedFor(id: string, text: string): Need {
  return { id, text, status: 'searching', value: null, confidence: null, evidence: [] };
}

function livePassage(evidence: EventEvidence, cited: boolean, roots: readonly string[]): Passage {
  const { n, path, span, quote, cut = [], context = [], heading, locator, start } = evidence;
  // Which folder a number means is told by the result only, unless there is but one.
  const [only] = roots;
  const uri = roots.length === 1 && only !== undefined ? uriBelow(only, path) : null;
  return { n, uri, path, span, quote, cut, context, line: start.line, heading, locator, cited };
}

/** Passages of the answer have numbers of their own, from 1: they take the places of those found on the way. */
function withPassage(turn: Turn, passage: Passage, final: boolean): Turn {
  const early = turn.passages.filter(({ cited }) => !cited);
  const cited = final && passage.n === 1 ? [] : turn.passages.filter((each) => each.cited);
  const shelf = final ? cited : turn.passages;
  if (shelf.length >= MOST_PASSAGES || (!final && cited.length > 0)) {
    return turn;
  }
  const same = (other: Passage) => other.path === passage.path && other.span.join() === passage.span.join();
  const passages = [...shelf.filter((other) => !same(other)), passage];
  const passedOver = final && early.length > 0 ? early : turn.passedOver;
  return { ...turn, passedOver, passages: turn.state === 'cancelled' ? allOf({ passages, passedOver }) : passages };
}

/** What is shown where the user had enough: all that was found, once: none whose words are all in one of the answer. */
function allOf({ passages, passedOver }: Pick<Turn, 'passages' | 'passedOver'>): readonly Passage[] {
  const taken = ({ path, span: [from, to] }: Passage) =>
    passages.some((each) => each.path === path && each.span[0] <= from && to <= each.span[1]);
  return [...passages, ...passedOver.filter((passage) => !taken(passage))];
}

function concluded(turn: Turn, result: AnswerResult): Turn {
  const cited = result.evidence.map(settled);
  const early = turn.passages.filter((passage) => !passage.cited);
  const stopped = result.stopped === 'cancelled';
  const passedOver = early.length > 0 ? early : turn.passedOver;
  const passages = stopped ? allOf({ passages: cited, passedOver }) : cited;
  return {
    ...turn,
    question: result.typed ?? result.question,
    mode: result.mode,
    state: stopped ? 'cancelled' : 'done',
    status: result.status,
    stopped: result.stopped,
    needs: result.requirements,
    passages,
    ...(stopped ? wordsOf(turn, result, passages) : { answer: result.answer, checking: false }),
    found: result.coverage.found,
    scanned: result.coverage.scanned,
    percentage: null,
    consent: null,
    ledger: result.ledger,
    result,
    answerUri: result.answerUri,
    inThread: true,
  };
}

/**
 * The words of a model as far as they came, if their numbers mean what the answer cites, or they have none, since they
 * were not checked yet; else those of the rules.
 */
function wordsOf(
  { broken }: Turn,
  { answer, evidence }: AnswerResult,
  passages: readonly Passage[],
): Pick<Turn, 'answer' | 'checking'> {
  if (broken !== null && (broken.checking || broken.cites === citedBy(passages))) {
    return { answer: cutShort(broken.answer), checking: broken.checking };
  }
  // What the rules say where nothing is cited is that nothing was found: there was no time for more.
  return { answer: evidence.length === 0 && passages.length > 0 ? '' : answer, checking: false };
}

function settled(evidence: Evidence): Passage {
  const { n, uri, path, span, quote, cut = [], context = [], heading, locator, range } = evidence;
  const line = range && range.start.line + 1;
  return { n, uri, path, span, quote, cut, context, line, heading, locator, cited: true };
}

/** Nothing more will come. What was found stays. */
export function ended(turn: Turn, state: 'cancelled' | 'failed', failure: string | null): Turn {
  const given = (need: Need): Need => (need.status === 'searching' ? { ...need, status: 'missing' } : need);
  const answer = cutShort(turn.answer);
  return {
    ...turn,
    state,
    failure,
    answer,
    passages: allOf(turn),
    consent: null,
    percentage: null,
    needs: turn.needs.map(given),
  };
}

/** The user has enough: what is there stays as it is, and the program says the rest of what it found. */
export function stopped(turn: Turn): Turn {
  const { answer, cites, checking } = turn;
  return { ...ended(turn, 'cancelled', null), broken: answer === '' ? null : { answer, cites, checking } };
}

/** Words that end in their middle. */
function cutShort(answer: string): string {
  const words = answer.trimEnd();
  return words === '' || words.endsWith('…') ? words : `${words} …`;
}

/** The question with what a look at its sources said. */
export function rechecked(turn: Turn, citations: readonly CheckedCitation[]): Turn {
  const passages = turn.passages.map((passage) => {
    const checked = lookAt(passage, citations);
    return checked === undefined ? passage : { ...passage, checked };
  });
  return { ...turn, passages };
}

/** Whether a look was taken at all that the answer cites: the file of an answer may be that of a later one. */
export function covers(citations: readonly CheckedCitation[], turn: Turn): boolean {
  return turn.passages.every((passage) => !passage.cited || lookAt(passage, citations) !== undefined);
}

/** What to say of a fact: one that was proven and none of whose quotes stand any more is so no longer. */
export function standingOf(need: Need, passages: readonly Passage[]): NeedStatus | 'gone' {
  const quotes = passages.filter(({ n, cited }) => cited && need.evidence.includes(n));
  const gone = quotes.length > 0 && quotes.every(({ checked }) => checked?.state === 'withdrawn');
  return need.status === 'covered' && gone ? 'gone' : need.status;
}

function lookAt(passage: Passage, citations: readonly CheckedCitation[]): CheckedCitation | undefined {
  const { path, quote, span } = passage;
  return citations.find((each) => each.path === path && each.quote === quote && each.span.join() === span.join());
}

/** Whether an answer called anything proven: nothing else can be withdrawn. */
export function provesAnything({ status, needs }: Pick<Turn, 'status' | 'needs'>): boolean {
  return status === 'answered' || needs.some((need) => need.status === 'covered');
}
