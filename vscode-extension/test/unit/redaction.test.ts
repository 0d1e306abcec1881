import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redacted } from '../../src/redaction';

test('no word of a question or a note is in a trace', () => {
  const params = {
    question: 'who is Ada?',
    scope: { folders: ['file:///home/ada'] },
    mode: 'fast',
    workDoneToken: 'lens-1',
  };
  const shown = redacted(`Sending request 'lens/ask - (3)'.\nParams: ${JSON.stringify(params, undefined, 4)}\n\n`);
  assert.ok(!/Ada|ada/.test(shown), shown);
  assert.match(shown, /^Sending request 'lens\/ask - \(3\)'\.\nParams: /);
  assert.match(shown, /"question": "<11 characters>"/);
  assert.match(shown, /"mode": "fast"/);
});

test('the words in lists and in plain results are gone, too', () => {
  assert.ok(!redacted('Received response.\nResult: "Ada"').includes('Ada'));
  assert.ok(!redacted('Received response.\nResult: [["Ada"], {"status": ["Ada"]}]').includes('Ada'));
});

test('what is no JSON is not shown', () => {
  assert.equal(redacted('Head\n{ Ada'), 'Head\n<5 characters>');
  assert.equal(redacted('Head\nError: Ada {'), 'Head\n<12 characters>');
});

test('a line without a body stays', () => {
  assert.equal(redacted("Sending notification 'exit'."), "Sending notification 'exit'.");
  assert.equal(redacted('Head\nNo parameters provided.'), 'Head\nNo parameters provided.');
});
