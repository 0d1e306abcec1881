/** The clock that is gone by; tests have one of their own. */
export interface Clock {
  later(run: () => void, milliseconds: number): unknown;
  drop(timer: unknown): void;
}

const CLOCK: Clock = {
  later: (run, milliseconds) => setTimeout(run, milliseconds),
  drop: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

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
