import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteIn, unitsOf } from '../../src/reading/places';

const TEXT = 'a😀b日c\nd😀e';

test('code points become UTF-16 units', () => {
  const points = [...TEXT];
  for (let start = 0; start <= points.length; start += 1) {
    for (let end = start; end <= points.length; end += 1) {
      const [from, to] = unitsOf(TEXT, [start, end]);
      assert.equal(TEXT.slice(from, to), points.slice(start, end).join(''), `${start} to ${end}`);
    }
  }
});

test('places beyond the text are its end', () => {
  assert.deepEqual(unitsOf('abc', [5, 9]), [3, 3]);
  assert.deepEqual(unitsOf('abc', [1, 9]), [1, 3]);
  assert.deepEqual(unitsOf('', [0, 0]), [0, 0]);
});

test('of several equal passages the nearest is meant', () => {
  const text = 'one two one two one';
  assert.deepEqual(quoteIn(text, 'one', 0), [0, 3]);
  assert.deepEqual(quoteIn(text, 'one', 9), [8, 11]);
  assert.deepEqual(quoteIn(text, 'one', 999), [16, 19]);
});

test('line ends do not count', () => {
  assert.deepEqual(quoteIn('x\r\ny\r\nz', 'y\nz', 0), [3, 7]);
  assert.deepEqual(quoteIn('x\ny\nz', 'y\r\nz', 0), [2, 5]);
});

test('what no longer stands there is nowhere', () => {
  assert.equal(quoteIn('other words', 'words that were', 0), undefined);
  assert.equal(quoteIn('words', '', 0), undefined);
});
