import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type {
  AnswerResult,
  AskMessage,
  CheckedCitation,
  CitationState,
  Cluster,
  EventEvidence,
  Evidence,
  KeptAnswer,
  LensEvent,
} from '../src/protocol';
import { joined, kept, unshown, written } from '../src/state/kept';
import {
  begun,
  covers,
  ended,
  heard,
  needsItself,
  provesAnything,
  rechecked,
  standingOf,
  stopped,
  type Turn,
} from '../src/state/turn';

const ROOT = 'file:///notes';

function evidence(n: number, quote = `quote ${n}`): EventEvidence {
  return {
    n,
    path: 'house/lease.md',
    root: 0,
    span: [n * 100, n * 100 + quote.length],
    quote,
    sha256: 'aa',
    source: 'disk',
    version: null,
    encoding: 'utf-8',
    encodingGuessed: false,
    reader: 'markdown/1',
    match: 'exact',
    locator: null,
    heading: ['Lease'],
    requirements: ['f1'],
    found: { arm: 'lexical', round: 1, signals: {} },
    score: null,
    start: { line: n, column: 1 },
    end: { line: n, column: 9 },
  };
}

function event(happened: { readonly type: LensEvent['type'] } & Record<string, unknown>): AskMessage {
  return { type: 'event', event: { schema: 'lens.event/1', seq: 1, ...happened } as unknown as LensEvent };
}

const planned = event({
  type: 'planned',
  mode: 'fast',
  plan: {
    requirements: [
      { id: 'f1', text: 'the end' },
      { id: 'f2', text: 'the rent' },
    ],
  },
});

function after(...messages: readonly AskMessage[]): Turn {
  const turn = begun({ key: 'k', question: 'When does it end?' });
  return messages.reduce((now, message) => heard(now, message, [ROOT]), turn);
}

function result(change: Partial<AnswerResult> = {}): AnswerResult {
  const placed: Evidence = {
    ...evidence(1),
    context: [],
    uri: `${ROOT}/house/lease.md`,
    range: { start: { line: 4, character: 0 }, end: { line: 4, character: 7 } },
  };
  return {
    schema: 'lens.answer/2',
    question: 'When does it end?',
    mode: 'fast',
    intent: 'lookup',
    seed: 0,
    roots: ['/notes'],
    status: 'answered',
    stopped: 'covered',
    answer: 'It ends. [1]',
    shortAnswer: null,
    requirements: [],
    evidence: [placed],
    computation: null,
    documents: [],
    coverage: {
      found: 9,
      scanned: 8,
      skipped: [],
      admitted: 2,
      read: 1,
      matchesUnread: 0,
      pictures: 0,
      shards: [],
      partial: [],
      documents: 0,
      unread: 0,
    },
    ledger: {
      calls: { total: 0 },
      retries: 0,
      tokens: { in: 0, out: 0 },
      seconds: 1,
      cost: null,
      endpoint: null,
      sent: [],
    },
    reused: [],
    newer: [],
    typed: null,
    compression: null,
    rejectedQuotes: 0,
    unsupported: [],
    doubts: [],
    warnings: [],
    answerUri: null,
    ...change,
  };
}

describe('a question on its way', () => {
  it('needs what was planned, and says which of it is proven', () => {
    const beliefs = [{ requirement: 'f1', covered: true }];
    const turn = after(planned, event({ type: 'covered', round: 1, beliefs }));
    assert.deepEqual(
      turn.needs.map(({ status }) => status),
      ['covered', 'searching'],
    );
  });

  it('is not told twice where all it needs is what was asked', () => {
    const needing = (question: string, ...texts: readonly string[]) =>
      needsItself({
        ...begun({ key: 'k', question }),
        needs: texts.map((text, at) => ({
          id: `f${at}`,
          text,
          status: 'covered',
          value: null,
          confidence: null,
          evidence: [],
        })),
      });
    assert.ok(needing('When does  it end?', 'when does it end'));
    assert.ok(needing('它什么时候结束？', '它什么时候结束'));
    assert.ok(!needing('When does it end?', 'the end'));
    assert.ok(!needing('When does it end?', 'When does it end?', 'the rent'));
    assert.ok(!needing('When does it end?'));
  });

  it('shows passages as they are found, in the one folder there is', () => {
    const turn = after(planned, event({ type: 'evidenceFound', evidence: evidence(3), final: false, early: true }));
    assert.deepEqual(
      turn.passages.map(({ uri, cited, line }) => ({ uri, cited, line })),
      [{ uri: 'file:///notes/house/lease.md', cited: false, line: 3 }],
    );
  });

  it('has the context of a passage, and none where a server does not tell it', () => {
    const context = [{ role: 'before', span: [280, 299], text: 'We met in the house', cut: [] }] as const;
    const told = { ...evidence(3), cut: ['end'] as const, context };
    const found = (each: EventEvidence) => event({ type: 'evidenceFound', evidence: each, final: false, early: true });
    assert.deepEqual(after(found(told)).passages[0]?.context, context);
    assert.deepEqual(after(found(told)).passages[0]?.cut, ['end']);
    assert.deepEqual(after(found(evidence(3))).passages[0]?.context, []);
    const [item] = result().evidence as readonly [Evidence];
    const placed = { ...item, context: [{ ...context[0], range: null }] };
    assert.deepEqual(
      after({ type: 'result', result: result({ evidence: [placed] }) }).passages[0]?.context,
      placed.context,
    );
  });

  it('does not guess the folder where there are several', () => {
    const found = event({ type: 'evidenceFound', evidence: evidence(3), final: false, early: true });
    const turn = heard(begun({ key: 'k', question: '?' }), found, [ROOT, 'file:///other']);
    assert.equal(turn.passages[0]?.uri, null);
  });

  it('keeps a passage once, and only the cited ones when the answer has chosen', () => {
    const found = (n: number, final: boolean) =>
      event({ type: 'evidenceFound', evidence: evidence(n), final, early: false });
    assert.equal(after(found(1, false), found(1, false), found(2, false)).passages.length, 2);
    const turn = after(found(1, false), found(2, false), found(2, true), found(1, false));
    assert.deepEqual(
      turn.passages.map(({ n, cited }) => [n, cited]),
      [[2, true]],
    );
  });

  it('joins the pieces of the answer, and begins anew where told', () => {
    const delta = (text: string, restart = false) => event({ type: 'answerDelta', text, restart, checking: false });
    assert.equal(after(delta('It '), delta('ends.')).answer, 'It ends.');
    assert.equal(after(delta('Wrong.'), delta('Right.', true)).answer, 'Right.');
  });

  it('waits for consent, and goes on when the search does', () => {
    const asking: AskMessage = { type: 'consent', id: 'c1', message: 'May it?', actions: ['Send', 'Evidence only'] };
    assert.equal(after(asking).consent?.id, 'c1');
    assert.equal(after(asking, { type: 'consent-over', id: 'c0' }).consent?.id, 'c1');
    assert.equal(after(asking, { type: 'consent-over', id: 'c1' }).consent, null);
    assert.equal(after(asking, event({ type: 'proposed', round: 1, regions: [] })).consent, null);
  });
});

describe('the end of a question', () => {
  it('has places, costs and the state of the result', () => {
    const turn = after(planned, { type: 'result', result: result() });
    assert.equal(turn.state, 'done');
    assert.deepEqual(
      turn.passages.map(({ line, uri }) => [line, uri]),
      [[5, 'file:///notes/house/lease.md']],
    );
    assert.equal(turn.ledger?.seconds, 1);
  });

  it('shows a follow-up as it was typed', () => {
    assert.equal(after({ type: 'result', result: result({ typed: 'And when?' }) }).question, 'And when?');
  });

  it('is a cancelled one where it was stopped, with what was found', () => {
    const turn = after({ type: 'result', result: result({ stopped: 'cancelled', status: 'partial' }) });
    assert.equal(turn.state, 'cancelled');
    assert.equal(turn.passages.length, 1);
  });

  it('leaves nothing searching after a failure', () => {
    const turn = after(planned, { type: 'error', code: 1007, name: 'lens.oracle-failed', message: 'no reply' });
    assert.equal(turn.state, 'failed');
    assert.deepEqual(
      turn.needs.map(({ status }) => status),
      ['missing', 'missing'],
    );
  });

  it('is no failure where the user declined', () => {
    const turn = after({ type: 'error', code: 1015, name: 'lens.consent', message: 'may not be sent' });
    assert.equal(turn.state, 'cancelled');
    assert.equal(ended(turn, 'failed', 'x').state, 'failed');
  });
});

describe('a question that is stopped', () => {
  const found = (n: number, final = false) =>
    event({ type: 'evidenceFound', evidence: evidence(n), final, early: !final });
  const delta = (text: string, restart = false) => event({ type: 'answerDelta', text, restart, checking: false });
  const numbers = ({ passages }: Turn) => passages.map(({ n, cited }) => (cited ? n : `early ${n}`));
  const placed = (n: number) => ({ ...result().evidence[0], ...evidence(n), context: [] }) as Evidence;
  const ending = (change: Partial<AnswerResult> = {}): AskMessage => ({
    type: 'result',
    result: result({ stopped: 'cancelled', status: 'partial', answer: 'By rules. [1]', ...change }),
  });
  const goingOn = (turn: Turn, ...messages: readonly AskMessage[]) =>
    messages.reduce((now, message) => heard(now, message, [ROOT]), turn);

  it('is stopped at once, with all that was found and nothing still searching', () => {
    const turn = stopped(after(planned, found(3), found(4)));
    assert.equal(turn.state, 'cancelled');
    assert.deepEqual(numbers(turn), ['early 3', 'early 4']);
    assert.ok(turn.needs.every(({ status }) => status === 'missing'));
  });

  it('keeps the words as far as they came, whatever the rules make of it, live and heard again', () => {
    const before = [planned, found(3), found(1, true), delta('It ends '), delta('on')];
    const then = [delta('By rules. ', true), delta('[1]'), ending()];
    for (const turn of [goingOn(stopped(after(...before)), ...then), after(...before, ...then)]) {
      assert.equal(turn.answer, 'It ends on …');
      assert.deepEqual(numbers(turn), [1, 'early 3']);
      assert.equal(turn.state, 'cancelled');
    }
    const between = goingOn(stopped(after(...before)), ...then.slice(0, 2));
    assert.equal(between.answer, 'It ends on …');
  });

  it('keeps words that were not checked yet, and says so: they have no numbers', () => {
    const unchecked = event({ type: 'answerDelta', text: 'It ends on', restart: false, checking: true });
    const before = [planned, found(3), unchecked];
    const then = [found(1, true), delta('By rules. [1]', true), ending()];
    for (const turn of [goingOn(stopped(after(...before)), ...then), after(...before, ...then)]) {
      assert.equal(turn.answer, 'It ends on …');
      assert.equal(turn.checking, true);
    }
    const checked = after(planned, delta('First. [1]'), found(1, true), delta('By rules. [1]', true), ending());
    assert.deepEqual([checked.answer, checked.checking], ['By rules. [1]', false]);
  });

  it('takes the words of the rules where the numbers of the others mean something else', () => {
    const first = [planned, found(1, true), delta('First [1].')];
    const anew = [found(1, true), found(2, true), delta('By rules. [1]', true)];
    const turn = after(...first, ...anew, ending({ evidence: [placed(1), placed(2)] }));
    assert.equal(turn.answer, 'By rules. [1]');
  });

  it('takes the words of the rules where there were no others, unless they found nothing that was shown', () => {
    assert.equal(goingOn(stopped(after(planned, found(3))), delta('By rules. [1]'), ending()).answer, 'By rules. [1]');
    const turn = goingOn(stopped(after(found(3))), ending({ status: 'unanswered', evidence: [], answer: 'Nothing.' }));
    assert.deepEqual([turn.answer, numbers(turn)], ['', ['early 3']]);
  });

  it('shows what was found on the way at every moment, once', () => {
    const turn = goingOn(stopped(after(planned, found(3), found(1))), found(1, true));
    assert.deepEqual(numbers(turn), [1, 'early 3']);
    assert.deepEqual(numbers(goingOn(turn, ending())), [1, 'early 3']);
    const given = { type: 'error', code: -32800, name: 'lens.cancelled', message: 'cancelled' } as const;
    assert.deepEqual(numbers(goingOn(turn, given)), [1, 'early 3']);
    assert.deepEqual(numbers(after(planned, found(3), found(1), found(1, true), given)), [1, 'early 3']);
  });

  it('is an answer as any other where it was too late to stop it', () => {
    const turn = goingOn(stopped(after(planned, found(3), delta('It ends'))), { type: 'result', result: result() });
    assert.deepEqual([turn.state, turn.answer, numbers(turn)], ['done', 'It ends. [1]', [1]]);
  });

  it('asks for no consent any more', () => {
    const asking: AskMessage = { type: 'consent', id: 'c1', message: 'May it?', actions: [] };
    assert.equal(heard(stopped(after()), asking, []).consent, null);
  });
});

describe('an answer that was kept', () => {
  const cluster = {
    id: 'c',
    title: 'The lease',
    questions: [
      {
        question: 'Old?',
        asked: '2026-01-01T00:00:00Z',
        mode: 'evidence',
        status: 'answered',
        answer: 'Old. [1]',
        facts: [],
        evidence: [],
        answerUri: null,
      },
      {
        question: 'End?',
        asked: '2026-01-02T00:00:00Z',
        mode: 'evidence',
        status: 'answered',
        answer: '2031 [2]',
        facts: ['f'],
        evidence: ['b', 'a'],
        answerUri: 'file:///a.md',
      },
    ],
    facts: [
      {
        id: 'f',
        text: 'the end',
        status: 'covered',
        value: '2031',
        confidence: null,
        evidence: ['a'],
        proven: '',
        retired: false,
      },
      {
        id: 'g',
        text: 'another',
        status: 'covered',
        value: null,
        confidence: null,
        evidence: ['b'],
        proven: '',
        retired: false,
      },
    ],
    citations: [
      { id: 'a', uri: `${ROOT}/a.md`, path: 'a.md', span: [0, 1], quote: 'A', heading: [], locator: null },
      { id: 'b', uri: `${ROOT}/b.md`, path: 'b.md', span: [5, 6], quote: 'B', heading: [], locator: null },
    ],
  } as unknown as Cluster;
  const noted = (question: string, typed = question, asked = '2026-01-03T00:00:00.000Z') => ({
    typed,
    question,
    asked,
    cluster: 'c',
    answerUri: null,
  });

  it('has its passages under the numbers of its words, and its own facts only', () => {
    const turn = kept(noted('End?', 'And the end?'), 'k', cluster);
    assert.deepEqual(
      turn?.passages.map(({ n, quote }) => [n, quote]),
      [
        [1, 'B'],
        [2, 'A'],
      ],
    );
    assert.deepEqual(
      turn?.needs.map(({ text, evidence: numbers }) => [text, numbers]),
      [['the end', [2]]],
    );
    assert.equal(turn?.question, 'And the end?');
    assert.equal(turn?.asked, '2026-01-03T00:00:00.000Z', 'when it was asked here, not when another was answered');
  });

  for (const [head, label] of [
    ['lens: answer/1\nsources:\n  - {"n": 1}', '1'],
    ['lens: answer/2\nfacts: []', 'q7f3k2'],
  ]) {
    it(`is read from its file where no cluster knows it, ${label}`, () => readFromFile(`${head}`, `${label}`));
  }

  function readFromFile(head: string, label: string) {
    const text = `---\n${head}\n---\n\n# End?\n\n> It ends. [^${label}]\n\n*By rules.*\n\n[^${label}]: [a.md:3](file:///x#L3) "It ends."\n`;
    const citations = [{ label, uri: `${ROOT}/my%20house/a.md`, quote: 'It ends.', span: [5, 13], altered: '' }];
    const file = { schema: 'lens.kept/1', uri: 'file:///x.md', text, citations } as unknown as KeptAnswer;
    const asked = { typed: 'The end?', question: 'End?', asked: 'now', cluster: null, answerUri: 'file:///x.md' };
    const turn = written(asked, 'k', file, ['file:///other', ROOT]);
    assert.equal(turn.answer, '> It ends. [1]\n\n*By rules.*');
    assert.deepEqual([turn.question, turn.state, turn.inThread], ['The end?', 'done', true]);
    assert.deepEqual(
      turn.passages.map(({ n, path, quote, span, line }) => [n, path, quote, span, line]),
      [[1, 'my house/a.md', 'It ends.', [5, 13], 3]],
    );
  }

  it('is not brought onto the page twice, wherever in its thread it stands', () => {
    const questions = ['One?', 'Two?', 'One?', 'Three?'].map((typed) => noted(typed));
    const shown = (question: string, inThread = true) => begun({ key: question, question, inThread });
    assert.deepEqual(unshown(questions, []), [0, 1, 2, 3]);
    assert.deepEqual(unshown(questions, [shown('One?')]), [0, 1, 3]);
    assert.deepEqual(unshown(questions, [shown('One?'), shown('One?'), shown('Two?')]), [3]);
    assert.deepEqual(unshown(questions, [shown('Three?', false)]), [0, 1, 2, 3]);
  });

  it('is the one that is shown, where it was asked several times and noted after each', () => {
    const at = (seconds: number) => `2026-01-03T00:00:0${seconds.toFixed(3)}Z`;
    const questions = [2, 4.25, 6].map((seconds) => noted('One?', 'One?', at(seconds)));
    const shown = (seconds: number, more: Partial<Turn> = {}) =>
      begun({ key: `${seconds}`, question: 'One?', asked: at(seconds), state: 'done', inThread: true, ...more });
    assert.deepEqual(unshown(questions, [shown(1)]), [1, 2]);
    assert.deepEqual(unshown(questions, [shown(4.2)]), [0, 2]);
    assert.deepEqual(unshown(questions, [shown(6), shown(1)]), [1]);
    assert.deepEqual(unshown(questions, [shown(5, { state: 'asking', inThread: false })]), [0, 1]);
    assert.deepEqual(unshown(questions, [shown(7, { state: 'asking', inThread: false })]), [0, 1, 2]);
    assert.deepEqual(unshown(questions, [shown(8)]), [0, 1], 'by a clock that is ahead');
    const earlier = questions
      .slice(1)
      .map((each, place) => written(each, `${place}`, { text: '', citations: [] } as unknown as KeptAnswer, []));
    const order = joined(earlier, [shown(4.26), shown(1)]).map(({ asked }) => asked);
    assert.deepEqual(order, [at(1), at(4.25), at(4.26), at(6)]);
  });

  it('says whether a look was taken at all that it cites', () => {
    const turn = kept(noted('End?'), 'k', cluster) ?? begun({ key: 'k', question: '?' });
    const looks = turn.passages.map(({ path, quote, span }) => ({ path, quote, span }) as unknown as CheckedCitation);
    assert.equal(covers(looks, turn), true);
    assert.equal(covers(looks.slice(1), turn), false);
  });

  it('says of each passage what a look at its source said', () => {
    const turn = kept(noted('End?'), 'k', cluster);
    const look = {
      path: 'a.md',
      quote: 'A',
      span: [0, 1],
      state: 'withdrawn',
      now: null,
      why: 'gone',
    } as unknown as CheckedCitation;
    const states = turn && rechecked(turn, [look]).passages.map(({ checked }) => checked?.state);
    assert.deepEqual(states, [undefined, 'withdrawn']);
  });

  it('says of a fact that it was proven once none of its quotes stands any more', () => {
    const turn = kept(noted('End?'), 'k', cluster) ?? begun({ key: 'k', question: '?' });
    const [first, ...others] = turn.passages;
    assert.ok(first !== undefined && others.length > 0);
    const need = { id: 'r1', text: 'End?', status: 'covered', value: null, confidence: null } as const;
    const both = { ...need, evidence: turn.passages.map(({ n }) => n) };
    const looked = (state: CitationState) => ({ checked: { state } as CheckedCitation });
    const gone = turn.passages.map((each) => ({ ...each, ...looked('withdrawn') }));
    assert.equal(standingOf(both, turn.passages), 'covered', 'before the first look');
    assert.equal(standingOf(both, gone), 'gone');
    assert.equal(standingOf(both, [{ ...first, ...looked('moved') }, ...gone.slice(1)]), 'covered');
    assert.equal(standingOf(both, [{ ...first, ...looked('unverifiable') }, ...gone.slice(1)]), 'covered');
    assert.equal(standingOf({ ...both, evidence: [] }, gone), 'covered', 'computed, without a quote');
    assert.equal(standingOf({ ...both, status: 'missing' }, gone), 'missing');
  });
});

describe('what can be withdrawn', () => {
  it('is what was called proven, and nothing of an answer that proved nothing', () => {
    const need = { id: 'f1', text: 'the end', value: null, confidence: null, evidence: [] };
    assert.ok(provesAnything({ status: 'answered', needs: [] }));
    assert.ok(provesAnything({ status: null, needs: [{ ...need, status: 'covered' }] }));
    assert.ok(!provesAnything({ status: null, needs: [] }));
    assert.ok(!provesAnything({ status: 'partial', needs: [{ ...need, status: 'missing' }] }));
  });
});
