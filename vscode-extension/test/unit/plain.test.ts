import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerpt, inNotification, inRow, oneLine } from '../../src/reading/plain';

test('a question in a notification makes no link', () => {
  assert.equal(
    inNotification('see [this](command:workbench.action.quit)'),
    'see [this] (command:workbench.action.quit)',
  );
});

test('a passage in a row makes no icon', () => {
  assert.equal(inRow('$(sync~spin) words', 100), '$ (sync~spin) words');
});

test('a text is on one line, no longer than it may be, and steers nothing', () => {
  assert.equal(oneLine('a\r\n\tb  c\u202e\u001b[31md', 100), 'a b c[31md');
  const cut = oneLine('word '.repeat(100_000), 20);
  assert.equal(cut.length, 20);
  assert.ok(cut.endsWith('…'));
});

test('a passage begins shortly before the words that were looked for', () => {
  const before = 'Messages are numbered and kept until the other side has read them all. ';
  const passage = `${before}## Limits\n\nFour questions run at a time and 64 wait.`;
  assert.equal(
    excerpt(passage, 'questions run at a TIME'),
    '… all. ## Limits Four questions run at a time and 64 wait.',
  );
});

test('a passage that begins with the words, or does not hold them, begins where it begins', () => {
  const passage = `Four questions run at a time. ${'And so on. '.repeat(20)}`.trim();
  assert.equal(excerpt(passage, 'questions run'), passage);
  assert.equal(excerpt(passage, 'zebra'), passage);
  assert.equal(excerpt(passage, '(['), passage);
});

test('words are found in a script without spaces, and the cut is exact there', () => {
  const passage = `${'前文与此无关。'.repeat(20)}同时运行四个问题。`;
  const shown = excerpt(passage, '四个问题');
  assert.ok(shown.startsWith('… ') && shown.endsWith('同时运行四个问题。'));
  assert.ok(shown.length < 50);
});

test('where single words stand apart, the place with most of them wins', () => {
  const passage = `A question is a line. ${'Nothing is said here. '.repeat(10)}Each question may wait; 64 wait at most.`;
  assert.match(excerpt(passage, 'question wait most'), /^… .{0,24}question may wait/);
});
