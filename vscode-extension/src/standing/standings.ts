/** Follows where Lens stands in this window, and tells when it changes. */

import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { configuredHost } from '../model/endpoint';
import type { AnswerResult } from '../protocol/answer';
import type { Judge, StatusParams, StatusResult } from '../protocol/status';
import type { ServerState, Standing } from '../views/messages';
import type { Prompts } from '../views/prompts';
import { standingOf, type WindowGrounds } from './standing';

/** What the server is started from. */
export interface Running {
  /** A setting that is not used since it names nothing that can be run, in words; null for none. */
  readonly instead: string | null;
  /** Megabytes of what reads documents, where that can be installed; undefined where it is not ours to install. */
  documentMegabytes(): Promise<number | undefined>;
}

/** The key of the endpoint that gave the last answer no words, for a window that is loaded anew. */
const FAILED = 'lens.modelFailed';
/** The context key of the state, for menus and the walkthrough. */
const CONTEXT = 'lens.standing';

const SERVER: Readonly<Record<LensClient['state'], ServerState>> = {
  stopped: 'idle',
  missing: 'waiting',
  starting: 'starting',
  running: 'running',
  failed: 'failed',
};

/** The standing of one window. */
export class Standings implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Standing>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable[];
  #judge: Judge | null = null;
  #report: string | null = null;
  #unread: WindowGrounds['unread'] = null;
  #looks = 0;
  #now: Standing;

  constructor(
    private readonly lens: LensClient,
    private readonly prompts: Prompts,
    private readonly memory: vscode.Memento,
    private readonly running: Running,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#now = standingOf(this.#grounds());
    this.#subscriptions = [
      this.#changed,
      lens.onDidChangeState(() => this.#look()),
      lens.onDidAnswer((answer) => this.#answered(answer)),
      prompts.onDidChange(() => this.#tell()),
      prompts.onDidReport((message) => {
        this.#report = message;
        this.#tell();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#look()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('lens.model')) {
          void memory.update(FAILED, undefined); // another model, which nobody has asked yet
        }
        if (event.affectsConfiguration('lens')) {
          void this.#look();
        }
      }),
    ];
    void vscode.commands.executeCommand('setContext', CONTEXT, this.#now.is);
  }

  get now(): Standing {
    return this.#now;
  }

  /** Where text may be sent to, and why not where it should: as the server said last. */
  get judge(): Judge | null {
    return this.#judge;
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  async #answered(answer: AnswerResult): Promise<void> {
    if (answer.stopped === 'model-failed') {
      await this.memory.update(FAILED, this.#judge?.endpoint ?? undefined);
    } else if ((answer.ledger.calls.total ?? 0) > 0) {
      await this.memory.update(FAILED, undefined);
    }
    const documents = answer.coverage.skipped.filter(({ reason }) => reason === 'no-reader').length;
    const megabytes = documents > 0 ? await this.running.documentMegabytes() : undefined;
    this.#unread = megabytes === undefined ? null : { documents, megabytes };
    await this.#look();
  }

  /** Asks the server who judges; the last look counts. */
  async #look(): Promise<void> {
    this.#looks += 1;
    const look = this.#looks;
    if (this.lens.state !== 'starting') {
      this.#report = null;
    }
    if (this.lens.state !== 'running') {
      this.#judge = null;
      this.#unread = null;
    }
    this.#tell();
    if (this.lens.state !== 'running') {
      return;
    }
    try {
      const params: StatusParams = { judge: true };
      const { judge } = await this.lens.request<StatusResult>('lens/status', params);
      if (look === this.#looks) {
        this.#judge = judge;
        this.#tell();
      }
    } catch (error) {
      this.log.debug(`status: ${String(error)}`);
    }
  }

  #tell(): void {
    const now = standingOf(this.#grounds());
    if (!isDeepStrictEqual(now, this.#now)) {
      this.#now = now;
      void vscode.commands.executeCommand('setContext', CONTEXT, now.is);
      this.#changed.fire(now);
    }
  }

  #grounds(): WindowGrounds {
    const { isTrusted } = vscode.workspace;
    const none = { endpoint: null, model: null, consent: null, mode: 'evidence', problem: null } as const;
    const unknown = isTrusted && configuredHost() !== undefined ? null : none;
    const judge = isTrusted ? (this.#judge ?? (this.lens.state === 'running' ? null : unknown)) : none;
    const failed = this.memory.get<string>(FAILED);
    return {
      connected: true,
      locked: false,
      server: SERVER[this.lens.state],
      asked: this.prompts.all.length > 0,
      judge,
      modelFailed: failed !== undefined && failed === judge?.endpoint,
      told: this.lens.state === 'failed' ? (this.lens.failure?.message ?? null) : this.#report,
      failure: this.lens.failure?.code,
      trusted: isTrusted,
      instead: this.running.instead,
      unread: this.#unread,
    };
  }
}
