import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byReason, isFresh, notVerified } from '../../src/views/freshness';

test('knowledge is fresh while all that it cites stands where it stood', () => {
  assert.ok(isFresh({ verified: 3, moved: 0, withdrawn: 0, unverifiable: 0 }));
  assert.ok(isFresh({ verified: 0, moved: 0, withdrawn: 0, unverifiable: 0 }));
  for (const state of ['moved', 'withdrawn', 'unverifiable'] as const) {
    const freshness = { verified: 9, moved: 0, withdrawn: 0, unverifiable: 0, [state]: 2 };
    assert.ok(!isFresh(freshness));
    assert.deepEqual(notVerified(freshness), [[state, 2]]);
  }
});

test('what was left out is told by reason, the most frequent first', () => {
  const skipped = [
    { path: 'a.bin', reason: 'binary' },
    { path: 'b.md', reason: 'ignored' },
    { path: 'c.md', reason: 'ignored' },
    { path: '.env', reason: 'denied' },
  ];
  assert.deepEqual(byReason(skipped), [
    ['ignored', ['b.md', 'c.md']],
    ['binary', ['a.bin']],
    ['denied', ['.env']],
  ]);
  assert.deepEqual(byReason([]), []);
});
