import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, Debounce } from '../../src/reading/debounce';

/** A clock that goes on when it is told to. */
class Time implements Clock {
  #now = 0;
  #waiting: { at: number; run: () => void }[] = [];

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
