import * as vscode from 'vscode';
import type { AnswerResult } from '../protocol/answer';
import type { Scope } from '../protocol/asking';

/** How far a question of this window is, or how it ended. */
export type AskedState = 'asking' | 'cancelled' | 'failed' | AnswerResult['status'];

/** A question that this window asked. */
export interface AskedQuestion {
  readonly question: string;
  readonly scope: Scope;
  /** The conversation that it belongs to; undefined where somebody else keeps that. */
  readonly thread: string | undefined;
  readonly asked: Date;
  readonly state: AskedState;
  /** Where it is read. */
  readonly document: vscode.Uri | undefined;
  readonly result: AnswerResult | undefined;
}

const MOST = 100;

/** The questions of this window, the last one first. */
export class AskedQuestions implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  #all: readonly AskedQuestion[] = [];

  get all(): readonly AskedQuestion[] {
    return this.#all;
  }

  /** Another question; what it replaces, if anything, is gone. The same question as it stands now. */
  put(asked: AskedQuestion, replaced?: AskedQuestion): AskedQuestion {
    const rest = this.#all.filter((each) => each !== replaced && !sameDocument(each, asked));
    this.#all = [asked, ...rest].slice(0, MOST);
    this.#changed.fire();
    return asked;
  }

  /** The question that a document answers. */
  of(document: vscode.Uri): AskedQuestion | undefined {
    return this.#all.find((each) => each.document?.toString() === document.toString());
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

function sameDocument(one: AskedQuestion, other: AskedQuestion): boolean {
  return one.document !== undefined && one.document.toString() === other.document?.toString();
}
