/** The clock that a throttle lives by; tests have one of their own. */
export interface Clock {
  now(): number;
  later(run: () => void, milliseconds: number): unknown;
  drop(timer: unknown): void;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  later: (run, milliseconds) => setTimeout(run, milliseconds),
  drop: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Runs something at most once an interval, however often that is wanted: at once, then again for what came meanwhile. */
export class Throttle {
  #last = Number.NEGATIVE_INFINITY;
  #timer: unknown;

  constructor(
    private readonly run: () => void,
    private readonly milliseconds: number,
    private readonly clock: Clock = CLOCK,
  ) {}

  /** It is wanted: now, or at the end of the interval. */
  want(): void {
    if (this.#timer !== undefined) {
      return;
    }
    const left = this.#last + this.milliseconds - this.clock.now();
    if (left <= 0) {
      this.#go();
    } else {
      this.#timer = this.clock.later(() => this.#go(), left);
    }
  }

  dispose(): void {
    this.clock.drop(this.#timer);
    this.#timer = undefined;
  }

  #go(): void {
    this.dispose();
    this.#last = this.clock.now();
    this.run();
  }
}

/** Runs only the last of what comes in quick succession, when nothing came for a while. */
export class Debounce {
  #timer: unknown;

  constructor(
    private readonly milliseconds: number,
    private readonly clock: Clock = CLOCK,
  ) {}

  /** Run this soon, in place of what waits. */
  soon(run: () => void): void {
    this.dispose();
    this.#timer = this.clock.later(() => {
      this.#timer = undefined;
      run();
    }, this.milliseconds);
  }

  dispose(): void {
    this.clock.drop(this.#timer);
    this.#timer = undefined;
  }
}
