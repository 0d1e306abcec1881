import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetIn } from '../../../src/pdf/target';

const TEXT = 'First 😀 page.\n\nFour ships.\fSecond page.\n\nFour ships. And four more.';
const SECOND = [...TEXT].indexOf('\f') + 1;
const DOCUMENT = {
  text: TEXT,
  locators: [
    { start: 0, locator: { page: 1 } },
    { start: SECOND, locator: { page: 2 } },
  ],
};

test('a span is words on a page, with how far down they stand', () => {
  const start = [...TEXT].join('').lastIndexOf('Four') - 1; // one character of the text has two units
  assert.deepEqual(targetIn(DOCUMENT, { span: [start, start + 11] }), {
    page: 2,
    quote: 'Four ships.',
    near: 'Secondpage.'.length,
  });
});

test('a range is the same, in lines and units', () => {
  const range = { start: { line: 2, character: 0 }, end: { line: 2, character: 4 } };
  assert.deepEqual(targetIn(DOCUMENT, { range }), { page: 1, quote: 'Four', near: 'First😀page.'.length });
});

test('words that moved since are followed', () => {
  assert.equal(targetIn(DOCUMENT, { span: [SECOND, SECOND + 2], quote: 'And four more.' }).page, 2);
  assert.equal(targetIn(DOCUMENT, { span: [SECOND, SECOND + 2], quote: 'And four more.' }).quote, 'And four more.');
});

test('a place without words is its page alone', () => {
  const range = { start: { line: 99, character: 9 }, end: { line: 99, character: 9 } };
  const { page, quote } = targetIn(DOCUMENT, { range });
  assert.equal(page, 2);
  assert.equal(quote, undefined);
});

test('a document that names no pages has words alone', () => {
  assert.deepEqual(targetIn({ text: TEXT, locators: [] }, { span: [0, 5] }), { quote: 'First' });
});
