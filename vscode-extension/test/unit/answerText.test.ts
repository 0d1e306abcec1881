import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headingLine, isAnswer, questionOf, relocated, shareable } from '../../src/reading/answerText';

const ANSWER = [
  '---',
  'lens: answer/1',
  'question: "What is \\u003cit\\u003e?"',
  'asked: 2026-11-20T17:56:00Z',
  'status: answered',
  'roots: ["..", "/elsewhere"]',
  'sources:',
  '  - {"n": 1, "root": 0, "path": "a b.md", "quote": "roots: [\\"x\\"]"}',
  '---',
  '',
  '# What is \\<it\\>?',
  '',
  '> Something. [^1] [^2]',
  '',
  '[^1]: [a b.md:3](../a%20b.md#L3) "Something."',
  '[^2]: [c\\].md:4](file:///elsewhere/c%5D.md#L4) "see [x](y#z) \\"there\\""',
  '',
].join('\n');

test('an answer file is known by its first lines', () => {
  assert.ok(isAnswer(ANSWER));
  assert.ok(isAnswer(ANSWER.replaceAll('\n', '\r\n')));
  assert.ok(!isAnswer('# A note\n\nlens: answer/1\n'));
  assert.ok(!isAnswer('---\ntitle: lens: answer/1\n---\n'));
});

test('its question is read as it was written', () => {
  assert.equal(questionOf(ANSWER), 'What is <it>?');
  assert.equal(questionOf('# A note'), undefined);
  assert.equal(questionOf('---\nlens: answer/1\nquestion: "broken\n---\n'), undefined);
});

test('its heading is found', () => {
  assert.equal(headingLine(ANSWER), 10);
  assert.equal(headingLine('no heading'), 0);
});

test('a copy has no front matter, and its links hold anywhere', () => {
  const text = shareable(ANSWER, '/notes/answers');
  assert.ok(text.startsWith('# What is'));
  assert.match(text, /\[\^1\]: \[a b\.md:3\]\(file:\/\/\/notes\/a%20b\.md#L3\) "Something\."/);
  assert.match(text, /\[\^2\]: \[c\\\]\.md:4\]\(file:\/\/\/elsewhere\/c%5D\.md#L4\)/);
});

test('an export can be checked where it goes: its roots are absolute, everything else is as it was', () => {
  const text = relocated(ANSWER, '/notes/answers');
  assert.match(text, /^roots: \["\/notes","\/elsewhere"\]$/m);
  assert.ok(text.includes('"quote": "roots: [\\"x\\"]"'));
  assert.equal(text.split('\n').length, ANSWER.split('\n').length);
});

test('an export of what is absolute already is the file itself', () => {
  const absolute = relocated(ANSWER, '/notes/answers');
  assert.equal(relocated(absolute, '/quite/else'), absolute);
});
