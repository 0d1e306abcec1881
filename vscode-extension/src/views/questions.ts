import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { failureOf } from '../failures';
import type { AnswerResult } from '../protocol/answer';
import type { AskParams } from '../protocol/asking';
import type { Reading } from '../reading/reading';
import { documentOf } from '../reading/subject';
import type { AskMessage, RunningAsk } from './messages';

/** Told of everything that a question has said and says. */
type Hear = (message: AskMessage) => void;

const MOST = 50;
/** Milliseconds that a search which is stopped may take to say what it found. */
const PATIENCE = 10_000;

/** A question of this window, and all that was said of it. */
class Question {
  readonly id: string;
  readonly asked: string;
  readonly #said: AskMessage[] = [];
  readonly #hearing = new Set<Hear>();
  readonly cancelling = new vscode.CancellationTokenSource();
  readonly stopping = new vscode.CancellationTokenSource();
  ending: RunningAsk['ending'] = null;
  result: AnswerResult | undefined;

  constructor(
    readonly params: AskParams,
    { id = String(randomUUID()), asked = new Date().toISOString() } = {},
  ) {
    this.id = id;
    this.asked = asked;
  }

  say(message: AskMessage): void {
    this.#said.push(message);
    for (const hear of this.#hearing) {
      hear(message);
    }
  }

  /** From its beginning on: a page that is shown again has forgotten everything. */
  follow(hear: Hear): vscode.Disposable {
    for (const message of this.#said) {
      hear(message);
    }
    this.#hearing.add(hear);
    return new vscode.Disposable(() => this.#hearing.delete(hear));
  }

  get shown(): RunningAsk {
    const { question, thread } = this.params;
    return {
      id: this.id,
      tab: 'view',
      question,
      thread: thread ?? null,
      asked: this.asked,
      heard: this.#hearing.size > 0,
      ending: this.ending,
      inThread: this.result !== undefined,
      answerUri: this.result?.answerUri ?? null,
    };
  }
}

/** What is kept of a question that runs, for a window that is loaded again in its middle. */
interface Kept {
  readonly id: string;
  readonly asked: string;
  readonly question: string;
  readonly thread?: string;
}

/** What is kept of the questions that run, in a file: the editor's own memory is written too late for a window that goes. */
class RunningFile {
  readonly #file: string | undefined;

  /** @param folder - of the workspace; undefined where there is none, and nothing is kept. */
  constructor(folder: vscode.Uri | undefined) {
    this.#file = folder && path.join(folder.fsPath, 'running.json');
  }

  read(): readonly Kept[] {
    try {
      return this.#file === undefined ? [] : (JSON.parse(readFileSync(this.#file, 'utf8')) as Kept[]);
    } catch {
      return []; // there is none, or the window went while it was written
    }
  }

  write(kept: readonly Kept[]): void {
    if (this.#file === undefined) {
      return;
    }
    try {
      if (kept.length === 0) {
        rmSync(this.#file, { force: true });
      } else {
        mkdirSync(path.dirname(this.#file), { recursive: true });
        writeFileSync(this.#file, JSON.stringify(kept));
      }
    } catch {
      // A disk that takes nothing keeps nobody from an answer.
    }
  }
}

/** The questions of this window: they go on while the view is hidden. */
export class Questions implements vscode.Disposable {
  readonly #all = new Map<string, Question>();
  readonly #file: RunningFile;
  /** The window goes: what ran until now stays kept for the next. */
  #closed = false;

  constructor(
    private readonly lens: LensClient,
    private readonly reading: Reading,
    folder: vscode.Uri | undefined,
  ) {
    this.#file = new RunningFile(folder);
    for (const { id, asked, question, thread } of this.#file.read()) {
      const lost = new Question({ question, ...(thread !== undefined && { thread }) }, { id, asked });
      const message = vscode.l10n.t('the window was closed or loaded anew while it was searched');
      lost.say({ type: 'error', code: 0, name: 'lens.interrupted', message });
      lost.ending = 'failed';
      this.#all.set(id, lost);
    }
    this.#file.write([]);
  }

  get all(): readonly RunningAsk[] {
    return [...this.#all.values()].map(({ shown }) => shown).reverse();
  }

  /** Begins a question; `answer` is undefined where there is none, which its stream says. */
  begin(params: AskParams): { readonly id: string; readonly answer: Promise<AnswerResult | undefined> } {
    const question = new Question(params);
    this.#all.set(question.id, question);
    for (const { id, ending } of this.#all.values()) {
      if (this.#all.size <= MOST) {
        break;
      }
      if (ending !== null) {
        this.#all.delete(id);
      }
    }
    return { id: question.id, answer: this.#run(question) };
  }

  /** Ends a question: what it found until then is its answer. Twice, or one that does not end, is given up. */
  stop(id: string): void {
    const question = this.#all.get(id);
    if (question === undefined || question.ending !== null) {
      return;
    }
    if (question.stopping.token.isCancellationRequested || this.lens.state !== 'running') {
      question.cancelling.cancel();
      return;
    }
    question.stopping.cancel();
    setTimeout(() => question.ending === null && question.cancelling.cancel(), PATIENCE).unref();
  }

  follow(id: string, hear: Hear): vscode.Disposable | undefined {
    return this.#all.get(id)?.follow(hear);
  }

  dispose(): void {
    this.#closed = true;
    for (const { cancelling } of this.#all.values()) {
      cancelling.cancel();
    }
  }

  async #run(question: Question): Promise<AnswerResult | undefined> {
    const { params, cancelling, stopping } = question;
    const keeps = params.dryRun !== true;
    if (keeps) {
      this.#keep();
    }
    try {
      await Promise.race([this.lens.ready(), cancelled(cancelling.token)]);
      const tell = (event: Parameters<NonNullable<Parameters<LensClient['ask']>[1]>>[0]) =>
        question.say({ type: 'event', event });
      const asking = this.lens.ask(params, tell, cancelling.token, stopping.token);
      const result = await Promise.race([asking, cancelled(cancelling.token)]);
      question.ending = result.stopped === 'cancelled' ? 'stopped' : 'answered';
      if (keeps) {
        question.result = result;
        this.#remember(question, result);
      }
      question.say({ type: 'result', result });
      return result;
    } catch (error) {
      const failure = failureOf(error);
      const name = failure instanceof vscode.CancellationError ? 'lens.cancelled' : (failure.code ?? null);
      question.ending = failure instanceof vscode.CancellationError ? 'stopped' : 'failed';
      question.say({ type: 'error', code: 0, name, message: failure.message });
      return undefined;
    } finally {
      if (keeps) {
        this.#keep();
      }
    }
  }

  /** What commands about an answer, and the marks in its sources, go by. */
  #remember({ params, asked }: Question, result: AnswerResult): void {
    const { question, scope = {}, thread } = params;
    this.reading.asked.put({
      question,
      scope,
      thread,
      asked: new Date(asked),
      state: result.status,
      document: result.answerUri === null ? undefined : documentOf(result.answerUri),
      result,
    });
  }

  #keep(): void {
    if (this.#closed) {
      return;
    }
    const running = [...this.#all.values()].filter(({ ending, params }) => ending === null && params.dryRun !== true);
    const kept = running.map(({ id, asked, params: { question, thread } }): Kept => {
      return { id, asked, question, ...(thread !== undefined && { thread }) };
    });
    this.#file.write(kept);
  }
}

/** Rejects when the user has enough: they do not wait for a server that has work to end. */
function cancelled(token: vscode.CancellationToken): Promise<never> {
  return new Promise((_, reject) => {
    token.onCancellationRequested(() => reject(new vscode.CancellationError()));
  });
}
