import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, Debounce, Throttle } from '../../src/reading/throttle';

/** A clock that goes on when it is told to. */
class Time implements Clock {
  #now = 0;
  #waiting: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  later(run: () => void, milliseconds: number): unknown {
    const timer = { at: this.#now + milliseconds, run };
    this.#waiting.push(timer);
    return timer;
  }

  drop(timer: unknown): void {
    this.#waiting = this.#waiting.filter((each) => each !== timer);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#waiting.filter(({ at }) => at <= this.#now);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#now);
    for (const { run } of due) {
      run();
    }
  }
}

test('the first time is at once, the rest of an interval is one time at its end', () => {
  const time = new Time();
  const runs: number[] = [];
  const throttle = new Throttle(() => runs.push(time.now()), 100, time);
  throttle.want();
  for (let each = 0; each < 50; each += 1) {
    throttle.want();
    time.pass(1);
  }
  assert.deepEqual(runs, [0]);
  time.pass(50);
  assert.deepEqual(runs, [0, 100]);
});

test('a thousand wishes in a second are ten or eleven runs', () => {
  const time = new Time();
  let runs = 0;
  const throttle = new Throttle(() => (runs += 1), 100, time);
  for (let each = 0; each < 1_000; each += 1) {
    throttle.want();
    time.pass(1);
  }
  assert.ok(runs >= 10 && runs <= 11, String(runs));
});

test('nothing runs after the end', () => {
  const time = new Time();
  let runs = 0;
  const throttle = new Throttle(() => (runs += 1), 100, time);
  throttle.want();
  throttle.want();
  throttle.dispose();
  time.pass(1_000);
  assert.equal(runs, 1);
});

test('of what is typed quickly only the last is looked for', () => {
  const time = new Time();
  const looked: string[] = [];
  const debounce = new Debounce(150, time);
  for (const query of ['l', 'le', 'len', 'lens']) {
    debounce.soon(() => looked.push(query));
    time.pass(40);
  }
  assert.deepEqual(looked, []);
  time.pass(150);
  assert.deepEqual(looked, ['lens']);
});
