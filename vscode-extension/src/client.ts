/**
 * The one door to `lens serve`: it starts at the first need, and everybody asks through it.
 *
 * Nothing here loads the language client; that happens in `session.ts`, when a server starts.
 */

import * as vscode from 'vscode';
import { Failure, failureOf } from './failures';
import type { AnswerResult, FindResult } from './protocol/answer';
import type { AskParams, FindParams } from './protocol/asking';
import type { LensEvent } from './protocol/events';
import { Restarts } from './restart';

/** How the server is: `stopped` starts when it is needed, `missing` has to be set up first. */
export type ClientState = 'stopped' | 'missing' | 'starting' | 'running' | 'failed';

/** What the rest of the extension knows of the server. */
export interface LensClient extends vscode.Disposable {
  readonly state: ClientState;
  /** Why it does not run, where a start failed. */
  readonly failure: Failure | undefined;
  readonly onDidChangeState: vscode.Event<ClientState>;
  /** After every question that this window asked and that was answered; a dry run is none. */
  readonly onDidAnswer: vscode.Event<AnswerResult>;
  /**
   * Ask a question. Rejects with `vscode.CancellationError` when it is cancelled, else with `Failure`, whose message is
   * for the user. One that is stopped gives what it found until then.
   */
  ask(
    params: AskParams,
    on?: (event: LensEvent) => void,
    token?: vscode.CancellationToken,
    stopping?: vscode.CancellationToken,
  ): Promise<AnswerResult>;
  /** Passages as they are ranked, without a model. Rejects as `ask`. */
  find(params: FindParams, token?: vscode.CancellationToken): Promise<FindResult>;
  /** Any other request of the server's. Rejects as `ask`. */
  request<R>(method: string, params: object, token?: vscode.CancellationToken): Promise<R>;
  /** Start the server, where the user may be asked first. Rejects as `ask`. */
  ready(): Promise<void>;
  /** Start the server if that needs nobody's consent; never rejects. */
  warm(): Promise<void>;
  /**
   * Stop the server, and start it again if it ran. Calls while one is under way become one. `between` is done while it is
   * stopped; what that rejects with, the caller gets.
   */
  restart(reason: string, between?: () => Promise<void>): Promise<void>;
}

/** A server that runs. */
export interface Session {
  request<R>(method: string, params: object, token?: vscode.CancellationToken): Promise<R>;
  notify(method: string, params: object): Promise<void>;
  /** Whether it runs still. */
  readonly alive: boolean;
  stop(): Promise<void>;
}

/** Why a server is started: `asked` by the user, who may be asked back, or `quietly`. */
export type Occasion = 'asked' | 'quietly';

/** What the client needs from around it. */
export interface ClientHost {
  readonly log: vscode.LogOutputChannel;
  /** Start a server. Undefined when it must not start now: the user declined, or would have to be asked. */
  start(occasion: Occasion, on: SessionEvents): Promise<Session | undefined>;
  /** What a request may carry here: an untrusted window asks no model. */
  limited(method: string, params: object): object;
  /** The server is gone though nobody stopped it, more often than it is started again for. */
  gaveUp(): void;
}

/** What a session tells. */
export interface SessionEvents {
  event(event: LensEvent): void;
  /** The server is gone though nobody stopped it. */
  closed(): void;
}

/** How often a server that went away is started again, and in how many milliseconds. */
const REVIVALS = 3;
const REVIVAL_WINDOW = 180_000;

/** The client of one window. */
export function createClient(host: ClientHost): LensClient {
  return new Client(host);
}

class Client implements LensClient {
  readonly #state = new vscode.EventEmitter<ClientState>();
  readonly #answered = new vscode.EventEmitter<AnswerResult>();
  readonly onDidChangeState = this.#state.event;
  readonly onDidAnswer = this.#answered.event;
  readonly #listeners = new Map<string, (event: LensEvent) => void>();
  readonly #restarts = new Restarts((reason) => this.#startAgain(reason));
  readonly #between: (() => Promise<void>)[] = [];
  #session: Session | undefined;
  #starting: Promise<Session> | undefined;
  #asked = 0;
  #closes: number[] = [];
  #disposed = false;
  state: ClientState = 'stopped';
  failure: Failure | undefined;

  constructor(readonly host: ClientHost) {}

  async ask(
    params: AskParams,
    on?: (event: LensEvent) => void,
    token?: vscode.CancellationToken,
    stopping?: vscode.CancellationToken,
  ): Promise<AnswerResult> {
    const workDoneToken = `lens-${++this.#asked}`;
    const stop = () => void this.#session?.notify('window/workDoneProgress/cancel', { token: workDoneToken });
    const waiting = stopping?.onCancellationRequested(stop);
    if (on) {
      this.#listeners.set(workDoneToken, on);
    }
    try {
      const result = await this.request<AnswerResult>('lens/ask', { ...params, workDoneToken }, token);
      if (!params.dryRun) {
        this.#answered.fire(result);
      }
      return result;
    } finally {
      this.#listeners.delete(workDoneToken);
      waiting?.dispose();
    }
  }

  find(params: FindParams, token?: vscode.CancellationToken): Promise<FindResult> {
    return this.request('lens/find', params, token);
  }

  async request<R>(method: string, params: object, token?: vscode.CancellationToken): Promise<R> {
    try {
      // Where the server is being stopped, as when it is removed, nobody is asked to set up another for what waits.
      const session = await this.#running(this.#restarts.busy ? 'quietly' : 'asked');
      try {
        return await session.request<R>(method, this.host.limited(method, params), token);
      } catch (error) {
        // A server that was started anew meanwhile is asked again, but for answers, which may cost something.
        if (this.#session === session || this.#disposed || method === 'lens/ask' || token?.isCancellationRequested) {
          throw error;
        }
        const next = await this.#running('quietly');
        return await next.request<R>(method, this.host.limited(method, params), token);
      }
    } catch (error) {
      throw failureOf(error);
    }
  }

  async ready(): Promise<void> {
    try {
      await this.#running('asked');
    } catch (error) {
      throw failureOf(error);
    }
  }

  async warm(): Promise<void> {
    try {
      await this.#running('quietly');
    } catch (error) {
      this.host.log.debug(`not started: ${failureOf(error).message}`);
    }
  }

  async restart(reason: string, between?: () => Promise<void>): Promise<void> {
    if (between === undefined) {
      return this.#restarts.request(reason);
    }
    let failed: { readonly error: unknown } | undefined;
    this.#between.push(() =>
      between().catch((error: unknown) => {
        failed = { error };
      }),
    );
    await this.#restarts.request(reason);
    if (failed !== undefined) {
      throw (failed as { readonly error: unknown }).error;
    }
  }

  dispose(): void {
    this.#disposed = true;
    void this.#session?.stop();
    this.#state.dispose();
    this.#answered.dispose();
  }

  /** The session, started if there is none. A quiet start under way is waited for, and asks nobody. */
  async #running(occasion: Occasion): Promise<Session> {
    await this.#restarts.idle();
    if (this.#session?.alive) {
      return this.#session;
    }
    if (this.#starting && occasion === 'asked') {
      // It may have been a quiet one that was not allowed to ask the user.
      return this.#starting.catch(() => this.#start(occasion));
    }
    return this.#starting ?? this.#start(occasion);
  }

  #start(occasion: Occasion): Promise<Session> {
    if (this.#starting) {
      return this.#starting;
    }
    this.failure = undefined;
    this.#become('starting');
    this.#starting = this.#started(occasion).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #started(occasion: Occasion): Promise<Session> {
    try {
      const session = await this.host.start(occasion, {
        event: (event) => this.#listeners.get(String(event.token))?.(event),
        closed: () => this.#closed(),
      });
      if (!session || this.#disposed) {
        this.#become('missing');
        await session?.stop();
        throw new vscode.CancellationError();
      }
      this.#session = session;
      this.#become('running');
      return session;
    } catch (error) {
      const failure = failureOf(error);
      if (failure instanceof Failure) {
        this.failure = failure;
        this.#become('failed');
      }
      throw error;
    }
  }

  async #startAgain(reason: string): Promise<void> {
    this.host.log.info(`restarting: ${reason}`);
    const ran = this.state !== 'stopped';
    await this.#starting?.catch(() => undefined);
    const session = this.#session;
    this.#session = undefined;
    await session?.stop();
    this.#become('stopped');
    for (const work of this.#between.splice(0)) {
      await work();
    }
    if (ran && !this.#disposed) {
      await this.#start('quietly').catch((error: unknown) => {
        this.host.log.error(`not started again: ${failureOf(error).message}`);
      });
    }
  }

  #closed(): void {
    this.#session = undefined;
    if (this.#disposed) {
      return;
    }
    const now = Date.now();
    this.#closes = [...this.#closes.filter((at) => now - at < REVIVAL_WINDOW), now];
    if (this.#closes.length <= REVIVALS) {
      this.#become('starting');
      void this.restart('the server went away');
    } else {
      this.#closes = [];
      this.#become('failed');
      this.host.gaveUp();
    }
  }

  #become(state: ClientState): void {
    if (this.state !== state && !this.#disposed) {
      this.state = state;
      this.#state.fire(state);
    }
  }
}
