import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Restarts } from '../../src/restart';

/** A restart that ends when it is told to. */
function held() {
  const reasons: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const restart = (reason: string): Promise<void> => {
    reasons.push(reason);
    return new Promise((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  };
  return { reasons, ends, restarts: new Restarts(restart) };
}

test('a restart begins at once', () => {
  const { reasons, restarts } = held();
  void restarts.request('a');
  assert.deepEqual(reasons, ['a']);
});

test('it is busy from the first request to the end of the last', async () => {
  const { ends, restarts } = held();
  assert.equal(restarts.busy, false);
  const first = restarts.request('a');
  const second = restarts.request('b');
  assert.equal(restarts.busy, true);
  ends[0]?.();
  await first;
  assert.equal(restarts.busy, true);
  await new Promise(setImmediate);
  ends[1]?.();
  await second;
  assert.equal(restarts.busy, false);
});

test('those that come while one is under way become one more, with all their reasons', async () => {
  const { reasons, ends, restarts } = held();
  const first = restarts.request('a');
  const others = [restarts.request('b'), restarts.request('c'), restarts.request('b')];
  assert.deepEqual(reasons, ['a']);
  ends[0]?.();
  await first;
  await new Promise(setImmediate);
  assert.deepEqual(reasons, ['a', 'b; c']);
  ends[1]?.();
  await Promise.all(others);
});

test('one that comes while the second runs waits for a third', async () => {
  const { reasons, ends, restarts } = held();
  void restarts.request('a');
  const second = restarts.request('b');
  ends[0]?.();
  await new Promise(setImmediate);
  const third = restarts.request('c');
  ends[1]?.();
  await second;
  await new Promise(setImmediate);
  assert.deepEqual(reasons, ['a', 'b', 'c']);
  ends[2]?.();
  await third;
});

test('a failed restart is told to who asked for it, and holds up nobody', async () => {
  const { ends, restarts } = held();
  const first = restarts.request('a');
  const second = restarts.request('b');
  ends[0]?.(new Error('no'));
  await assert.rejects(first, /no/);
  await new Promise(setImmediate);
  ends[1]?.();
  await second;
});

test('idle waits for all of them, and does not fail with them', async () => {
  const { ends, restarts } = held();
  const all = [restarts.request('a'), restarts.request('b')];
  let idle = false;
  const waiting = restarts.idle().then(() => {
    idle = true;
  });
  ends[0]?.(new Error('no'));
  await assert.rejects(all[0] ?? Promise.resolve());
  await new Promise(setImmediate);
  assert.equal(idle, false);
  ends[1]?.();
  await waiting;
  await restarts.idle();
});
