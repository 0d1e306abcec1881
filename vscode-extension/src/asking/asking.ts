import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { failureOf } from '../failures';
import type { AnswerResult } from '../protocol/answer';
import type { AskParams, Mode, Scope } from '../protocol/asking';
import type { AskedQuestion } from '../reading/answers';
import { cutShort } from '../reading/ending';
import { LiveAnswer } from '../reading/liveAnswer';
import { inNotification } from '../reading/plain';
import type { Reading } from '../reading/reading';
import { documentOf } from '../reading/subject';
import { columnForAnswer, replaceTab, tabsOf } from '../reading/tabs';
import { Throttle } from '../reading/throttle';
import { liveWords } from '../reading/words';

/** A question as it is to be asked. */
export interface Request {
  readonly question: string;
  readonly scope?: Scope;
  /** The conversation to go on with; a new one if left out. */
  readonly thread?: string;
  readonly mode?: Mode;
}

/** A document is shown anew at most this often, in milliseconds: ten times a second is as fast as one can read. */
const REFRESH_MILLISECONDS = 100;
/** Milliseconds in which nobody has gone on to something else: who asked still looks at where the answer comes. */
const WAITED_FOR = 2_000;
/** What the user does in a text, not what is done to it. */
const ACTS = [vscode.TextEditorSelectionChangeKind.Keyboard, vscode.TextEditorSelectionChangeKind.Mouse];
/** The user said no: the server has told them what that means already. */
const DECLINED = 'lens.consent';

/**
 * Asks one question in sight of the user: its answer is a document from the first moment, and closing that or cancelling
 * the notification ends the search. What was found until then stays.
 */
export class Asking {
  constructor(
    private readonly lens: LensClient,
    private readonly reading: Reading,
  ) {}

  /** The answer; undefined when there is none, which the user has been told. */
  async ask(request: Request): Promise<AnswerResult | undefined> {
    const thread = request.thread ?? newThread();
    const document = this.reading.documents.begin(request.question);
    const { question, scope = {} } = request;
    const asked = { question, scope, thread, asked: new Date(), document, result: undefined } as const;
    const run = new Run(this.lens, this.reading, this.reading.asked.put({ ...asked, state: 'asking' }), document);
    await run.show();
    return run.through({ ...request, thread });
  }
}

/** One question on its way. */
class Run {
  readonly #live: LiveAnswer;
  readonly #source = new vscode.CancellationTokenSource();
  readonly #refresh = new Throttle(() => this.#update(), REFRESH_MILLISECONDS);
  #shown = 0;
  #isRead = false;

  constructor(
    private readonly lens: LensClient,
    private readonly reading: Reading,
    private asked: AskedQuestion,
    private readonly document: vscode.Uri,
  ) {
    this.#live = new LiveAnswer(asked.question, liveWords());
    this.#update();
  }

  async show(): Promise<void> {
    const viewColumn = columnForAnswer();
    // In the group where the user is, what had the focus is hidden by it.
    const here = [vscode.ViewColumn.Active, vscode.window.tabGroups.activeTabGroup.viewColumn].includes(viewColumn);
    await vscode.window.showTextDocument(this.document, { viewColumn, preview: false, preserveFocus: !here });
    this.#shown = Date.now();
  }

  async through(params: AskParams): Promise<AnswerResult | undefined> {
    const closing = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      if (closed.length > 0 && tabsOf(this.document).length === 0) {
        this.#source.cancel();
      }
    });
    const acting = vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      const acts = kind !== undefined && ACTS.includes(kind);
      this.#isRead ||= acts && textEditor.document.uri.toString() === this.document.toString();
    });
    try {
      const result = await this.#watched(params);
      await this.#answered(result);
      return result;
    } catch (error) {
      this.#failed(error);
      return undefined;
    } finally {
      closing.dispose();
      acting.dispose();
      this.#refresh.dispose();
      this.#source.dispose();
    }
  }

  async #watched(params: AskParams): Promise<AnswerResult> {
    // First: a question about the set-up would stand above a search that waits for it.
    await Promise.race([this.lens.ready(), this.#cancelled()]);
    const title = vscode.l10n.t('Lens is searching');
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, (progress, token) => {
      const cancelling = token.onCancellationRequested(() => this.#source.cancel());
      let said = '';
      const asking = this.lens.ask(
        params,
        (event) => {
          this.#live.hear(event);
          this.#refresh.want();
          if (this.#live.now !== said) {
            said = this.#live.now;
            progress.report({ message: said });
          }
        },
        this.#source.token,
      );
      return Promise.race([asking, this.#cancelled()]).finally(() => cancelling.dispose());
    });
  }

  /** Rejects when the user has enough: they do not wait for the server, which may have work to end. */
  #cancelled(): Promise<never> {
    return new Promise((_, reject) => {
      this.#source.token.onCancellationRequested(() => reject(new vscode.CancellationError()));
    });
  }

  async #answered(result: AnswerResult): Promise<void> {
    this.#live.end({ kind: 'done', stopped: result.stopped });
    this.#update();
    const kept = result.answerUri === null ? this.document : documentOf(result.answerUri);
    this.#become({ ...this.asked, state: result.status, document: kept, result });
    if (kept !== this.document) {
      await replaceTab(this.document, kept, () => this.#isRead || Date.now() - this.#shown < WAITED_FOR);
    }
    const ending = cutShort(result);
    if (ending !== undefined) {
      void vscode.window.showWarningMessage(vscode.l10n.t('Lens: {0}', inNotification(ending)));
    }
  }

  #failed(error: unknown): void {
    const failure = failureOf(error);
    const cancelled = failure instanceof vscode.CancellationError || failure.code === DECLINED;
    this.#live.end(cancelled ? { kind: 'cancelled' } : { kind: 'failed', message: failure.message });
    this.#update();
    this.#become({ ...this.asked, state: cancelled ? 'cancelled' : 'failed' });
    if (!cancelled) {
      void vscode.window.showErrorMessage(vscode.l10n.t('Lens: {0}', inNotification(failure.message)));
    }
  }

  #become(asked: AskedQuestion): void {
    this.asked = this.reading.asked.put(asked, this.asked);
  }

  #update(): void {
    this.reading.documents.update(this.document, this.#live.render());
  }
}

function newThread(): string {
  return `window ${crypto.randomUUID()}`;
}
