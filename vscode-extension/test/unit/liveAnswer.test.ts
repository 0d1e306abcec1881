import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { LensEvent } from '../../src/protocol/events';
import type { EventEvidence } from '../../src/protocol/evidence';
import { LiveAnswer, type LiveWords } from '../../src/reading/liveAnswer';

/** Recorded with `lens ask --events --no-store "How many questions run at a time and how many wait?" docs`. */
const EVENTS: readonly LensEvent[] = readFileSync(path.resolve('test/unit/events.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as LensEvent);
const QUESTION = 'How many questions run at a time and how many wait?';
const PROOF = 'Four questions run at a time and 64 wait.';
const WORDS: LiveWords = {
  needs: 'Needs',
  soFar: 'So far',
  evidence: 'Evidence',
  answer: 'Answer',
  checking: 'Answer, being checked',
  status: { searching: 'searching', covered: 'covered', contested: 'contested', missing: 'missing' },
  searching: 'Searching',
  cancelled: 'Cancelled',
  nothingYet: 'nothing yet',
  done: 'Done',
  failed: (message) => `Failed: ${message}`,
  scanned: (files, found) => `${files} of ${found} files`,
  round: (number) => `round ${number}`,
  more: (count) => `and ${count} more`,
};

function begun(): LiveAnswer {
  return new LiveAnswer(QUESTION, WORDS);
}

function heard(events: readonly LensEvent[]): LiveAnswer {
  const live = begun();
  for (const event of events) {
    live.hear(event);
  }
  return live;
}

function until(type: LensEvent['type']): readonly LensEvent[] {
  return EVENTS.slice(0, EVENTS.findIndex((event) => event.type === type) + 1);
}

function recordedEvidence(): EventEvidence {
  const found = EVENTS.find((event) => event.type === 'evidenceFound');
  assert.ok(found);
  return found.evidence;
}

function found(evidence: Partial<EventEvidence>, how: { early?: boolean; final?: boolean } = {}): LensEvent {
  return {
    schema: 'lens.event/1',
    seq: 1,
    type: 'evidenceFound',
    evidence: { ...recordedEvidence(), ...evidence },
    early: how.early ?? false,
    final: how.final ?? false,
  };
}

function delta(text: string, restart = false, checking = false): LensEvent {
  return { schema: 'lens.event/1', seq: 1, type: 'answerDelta', text, restart, checking };
}

test('words that are not checked yet stand under a heading that says so', () => {
  const live = heard([delta('It is 64', false, true)]);
  assert.match(live.render().text, /## Answer, being checked\n\nIt is 64/);
  live.hear(delta('It is 64. [1]', true));
  assert.match(live.render().text, /## Answer\n\nIt is 64\. \[1\]/);
});

test('a search that begins anew has the facts of its own plan only', () => {
  const planned = EVENTS.find((event) => event.type === 'planned');
  const fact = planned?.plan.requirements[0];
  assert.ok(planned && fact);
  const other = (id: string, text: string): LensEvent => ({
    ...planned,
    plan: { ...planned.plan, requirements: [{ ...fact, id, text }] },
  });
  const { text } = heard([other('f2', 'what was given up'), other('f1', 'what is searched now')]).render();
  assert.match(text, /what is searched now/);
  assert.doesNotMatch(text, /what was given up/);
});

test('before anything happened the question stands there, and that it is searched for', () => {
  const { text } = begun().render();
  assert.ok(text.startsWith(`# ${QUESTION}\n\n*Searching*\n`));
  assert.match(text, /nothing yet/);
});

test('the first passage is shown at once, with a link to it', () => {
  const page = heard(until('evidenceFound')).render();
  const line = page.text.split('\n').findIndex((each) => each.includes(PROOF));
  const [link] = page.links;
  assert.ok(link);
  assert.equal(link.line, line);
  const { path: file, start } = link.evidence;
  const linked = page.text.split('\n')[line]?.slice(link.from, link.to).replaceAll('\\', '');
  assert.equal(linked, `${file}:${start.line}`);
  assert.match(page.text, /## So far/);
});

test('requirements are told in words, and how they stand changes as the search goes on', () => {
  assert.match(heard(until('planned')).render().text, /^- ○ searching: How many questions run/m);
  assert.match(heard(until('covered')).render().text, /^- ● covered: How many questions run/m);
});

test('when it is done the answer cites the final passages, and each mark leads to its own', () => {
  const page = heard(EVENTS).render();
  assert.match(page.text, /## Answer\n\n> Four questions run at a time and 64 wait\. \[1\]/);
  assert.match(page.text, /^\*Done · \d+ of \d+ files\*$/m);
  assert.match(page.text, /## Evidence\n/);
  const lines = page.text.split('\n');
  const marks = page.links.filter((link) => lines[link.line]?.slice(link.from, link.to) === '[1]');
  assert.deepEqual(
    marks.map((link) => link.evidence.quote),
    [PROOF],
  );
});

test('what is being done is told in a few words, the same everywhere', () => {
  const live = heard(until('proposed'));
  assert.match(live.now, /^\d+ of \d+ files · round 1$/);
  assert.ok(live.render().text.includes(`*Searching ${live.now}*`));
});

test('what a cancelled search found stays, and what it did not find is missing', () => {
  const live = heard(until('evidenceFound'));
  live.end({ kind: 'cancelled' });
  const { text } = live.render();
  assert.match(text, /^\*Cancelled\*$/m);
  assert.match(text, /^- ✗ missing: /m);
  assert.ok(text.includes(PROOF));
});

test('a failure is told in its own words, which do nothing', () => {
  const live = begun();
  live.end({ kind: 'failed', message: 'no [way](command:x)' });
  assert.match(live.render().text, /^\*Failed: no \\\[way\\\]\(command\\:x\)\*$/m);
});

test('a restart takes back what came before', () => {
  const { text } = heard([delta('first '), delta('words'), delta('other words', true)]).render();
  assert.match(text, /other words/);
  assert.doesNotMatch(text, /first/);
});

test('contested and missing requirements of the answer are told', () => {
  const answered = EVENTS.find((event) => event.type === 'answered');
  assert.ok(answered?.answer.requirements[0]);
  const [first] = answered.answer.requirements;
  const requirements = [
    { ...first, id: 'f1', status: 'contested' as const },
    { ...first, id: 'f2', status: 'missing' as const },
  ];
  const { text } = heard([{ ...answered, answer: { ...answered.answer, requirements } }]).render();
  assert.match(text, /^- ◐ contested: /m);
  assert.match(text, /^- ✗ missing: /m);
});

test('passages of the first look give way to those of the search, and those to the final ones', () => {
  const early = found({ n: 1, quote: 'early words' }, { early: true });
  const later = found({ n: 1, quote: 'later words' });
  const last = found({ n: 1, quote: 'final words' }, { final: true });
  assert.match(heard([early]).render().text, /early words/);
  assert.doesNotMatch(heard([early, later]).render().text, /early words/);
  const { text } = heard([early, later, last]).render();
  assert.match(text, /final words/);
  assert.doesNotMatch(text, /later words/);
});

test('nothing that notes or models say becomes a link, an image, HTML or a heading of ours', () => {
  const hostile = '# x\n![a](https://evil.example/p.png) <img src=x> [b](command:c) www.evil.example';
  const page = heard([found({ path: 'a](https://evil.example)[b.md', quote: hostile }), delta(hostile)]).render();
  assert.doesNotMatch(page.text, /(?<!\\)!\[|(?<!\\)<img|https:\/\/|\](?<!\\\])\(|www\.evil/);
  assert.equal(
    page.text.split('\n').filter((line) => line.startsWith('# ')).length,
    2,
    'the title, and the answer’s own',
  );
});

test('the text is bounded, whatever arrives', () => {
  const events = Array.from({ length: 5_000 }, (_, n) => found({ n, quote: 'q'.repeat(10_000) }));
  const page = heard([...events, delta('a'.repeat(1_000_000)), delta('b'.repeat(1_000_000))]).render();
  assert.ok(page.text.length < 230_000, `${page.text.length} characters`);
  assert.match(page.text, /and 4960 more/);
});
