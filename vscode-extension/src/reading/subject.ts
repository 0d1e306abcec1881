import * as vscode from 'vscode';
import type { Scope } from '../protocol/asking';
import { fileOf, readable } from './answerDocument';
import type { AskedQuestions } from './answers';
import { isAnswer, questionOf } from './answerText';

const HEAD = new vscode.Range(0, 0, 2, 0);

/** What a command is about: an answer, or a question that has none that is kept. */
export interface Subject {
  /** Where the answer is read. */
  readonly document?: vscode.Uri;
  /** Complete: it needs no earlier one to be understood. */
  readonly question?: string;
  readonly scope?: Scope;
  readonly thread?: string;
}

/** Something in a view that stands for an answer. */
export interface HasSubject {
  readonly subject: Subject;
}

/**
 * What is meant by the argument of a command: a row of the view, a document, or with nothing the answer that is being
 * read. Undefined where none is.
 */
export function subjectOf(argument: unknown, asked: AskedQuestions): Subject | undefined {
  if (typeof argument === 'object' && argument !== null && 'subject' in argument) {
    return (argument as HasSubject).subject;
  }
  const document = argument instanceof vscode.Uri ? argument : activeAnswer();
  return document && subjectOfDocument(document, asked);
}

/** The same, but where no answer is being read one that is in sight, else the last one of this window. */
export function nearestSubject(argument: unknown, asked: AskedQuestions): Subject | undefined {
  const meant = subjectOf(argument, asked);
  if (meant !== undefined) {
    return meant;
  }
  const shown = vscode.window.visibleTextEditors.find(({ document }) => isKeptAnswer(document))?.document.uri;
  const document = shown ?? asked.all.find((each) => each.result !== undefined)?.document;
  return document && subjectOfDocument(document, asked);
}

/** Whether a document is an answer that has come and is kept. */
export function isKeptAnswer(document: vscode.TextDocument): boolean {
  return fileOf(document.uri) !== undefined && isAnswer(document.getText(HEAD));
}

function activeAnswer(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && isKeptAnswer(document) ? document.uri : undefined;
}

function subjectOfDocument(document: vscode.Uri, asked: AskedQuestions): Subject {
  const known = asked.of(document);
  return {
    document,
    ...(known !== undefined && { question: known.result?.question ?? known.question, scope: known.scope }),
    ...(known?.thread !== undefined && { thread: known.thread }),
  };
}

/** The question of a subject, from its answer where nothing else says it. */
export async function questionOfSubject(subject: Subject): Promise<string | undefined> {
  return subject.question ?? (subject.document && questionOf(await textOf(subject.document)));
}

/** The text of an answer. Rejects where it is gone. */
export async function textOf(document: vscode.Uri): Promise<string> {
  return (await vscode.workspace.openTextDocument(document)).getText();
}

/** Where the answer file of the server's URI is read. */
export function documentOf(answerUri: string): vscode.Uri {
  return readable(vscode.Uri.parse(answerUri, true));
}
