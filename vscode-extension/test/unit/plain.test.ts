import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inNotification, inRow, oneLine } from '../../src/reading/plain';

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
