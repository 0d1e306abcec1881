/** Restarts one at a time: while one is under way, all further requests become one more. */

/** A queue of at most one restart that runs and one that waits. */
export class Restarts {
  readonly #restart: (reason: string) => Promise<void>;
  #running: Promise<void> | undefined;
  #next: { readonly reasons: string[]; readonly done: Promise<void> } | undefined;

  /** @param restart - one restart, told why; what it rejects with, each who asked for it gets. */
  constructor(restart: (reason: string) => Promise<void>) {
    this.#restart = restart;
  }

  /** Restart, now or after the one under way. Resolves when a restart that began after this call has ended. */
  request(reason: string): Promise<void> {
    if (this.#next) {
      if (!this.#next.reasons.includes(reason)) {
        this.#next.reasons.push(reason);
      }
      return this.#next.done;
    }
    if (!this.#running) {
      return this.#run(() => reason);
    }
    const reasons = [reason];
    const done = this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#run(() => reasons.join('; '));
      });
    this.#next = { reasons, done };
    return done;
  }

  /** Whether a restart runs or waits. */
  get busy(): boolean {
    return this.#last() !== undefined;
  }

  /** Resolves when no restart runs or waits; never rejects. */
  async idle(): Promise<void> {
    for (let last = this.#last(); last; last = this.#last()) {
      await last.catch(() => undefined);
    }
  }

  #last(): Promise<void> | undefined {
    return this.#next?.done ?? this.#running;
  }

  #run(reason: () => string): Promise<void> {
    const running: Promise<void> = this.#restart(reason()).finally(() => {
      if (this.#running === running) {
        this.#running = undefined;
      }
    });
    this.#running = running;
    return running;
  }
}
