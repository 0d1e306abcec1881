import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { Failure } from '../failures';
import type { AnswerResult } from '../protocol/answer';
import { registerActions, told } from './actions';
import { AnswerDocuments, SCHEME } from './answerDocument';
import { AskedQuestions } from './answers';
import { Decorations, toggleDecorations } from './decorations';
import { documentOf, isKeptAnswer, nearestSubject } from './subject';
import { showAnswer } from './tabs';

const USED = 'lens.used';
const IS_ANSWER = 'lens.isAnswer';

/** What reading an answer takes. */
export interface Reading extends vscode.Disposable {
  readonly documents: AnswerDocuments;
  readonly asked: AskedQuestions;
  /** Citations were looked up again. */
  readonly onDidRecheck: vscode.Event<void>;
  /** The user has made use of Lens: from now on the commands about an answer are there. */
  used(): void;
}

/** Answers as documents, what can be done with them, and the marks in what they cite. */
export function registerReading(context: vscode.ExtensionContext, lens: LensClient): Reading {
  const asked = new AskedQuestions();
  const documents = new AnswerDocuments();
  const rechecked = new vscode.EventEmitter<void>();
  const options = { isReadonly: true, isCaseSensitive: true };
  const reading: Reading = {
    documents,
    asked,
    onDidRecheck: rechecked.event,
    used: () => void use(context),
    dispose: () => parts.dispose(),
  };
  const parts = vscode.Disposable.from(
    asked,
    documents,
    rechecked,
    vscode.workspace.registerFileSystemProvider(SCHEME, documents, options),
    new Decorations(lens, asked),
    vscode.commands.registerCommand('lens.toggleDecorations', toggleDecorations),
    registerActions(lens, reading, () => rechecked.fire()),
    vscode.commands.registerCommand('lens.openAnswer', (argument?: unknown) =>
      told(async () => {
        const document = argument instanceof vscode.Uri ? argument : nearestSubject(argument, asked)?.document;
        await (document === undefined ? vscode.commands.executeCommand('lens.ask') : openAnswer(document));
      }),
    ),
    asked.onDidChange(() => reading.used()),
    lens.onDidAnswer((result) => keep(reading, result)),
    vscode.window.onDidChangeActiveTextEditor(tellKind),
    vscode.workspace.onDidOpenTextDocument((document) => serve(lens, reading, document)),
  );
  void vscode.commands.executeCommand('setContext', USED, context.globalState.get(USED, false));
  for (const document of vscode.workspace.textDocuments) {
    serve(lens, reading, document);
  }
  tellKind(vscode.window.activeTextEditor);
  return reading;
}

/** Shows an answer. Throws `Failure` where its file is gone. */
async function openAnswer(document: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.stat(document);
  } catch (error) {
    throw error instanceof vscode.FileSystemError && error.code === 'FileNotFound'
      ? new Failure(vscode.l10n.t('The file of this answer was deleted. Ask again, and it is written anew.'))
      : error;
  }
  await showAnswer(document);
}

/** Whoever asked: an answer that is kept can be gone on from, and its document shows what stands in its file now. */
function keep({ asked, documents }: Reading, result: AnswerResult): void {
  if (result.answerUri === null) {
    return;
  }
  const document = documentOf(result.answerUri);
  const { question, typed, status } = result;
  const known = asked.of(document);
  asked.put({
    question: typed ?? question,
    scope: known?.scope ?? {},
    thread: known?.thread,
    asked: new Date(),
    state: status,
    document,
    result,
  });
  documents.changed(document);
}

async function use(context: vscode.ExtensionContext): Promise<void> {
  if (!context.globalState.get(USED, false)) {
    await vscode.commands.executeCommand('setContext', USED, true);
    await context.globalState.update(USED, true);
  }
}

/** The menus of an answer are for answers that have come, wherever they are kept. */
function tellKind(editor: vscode.TextEditor | undefined): void {
  const answer = editor !== undefined && isKeptAnswer(editor.document);
  void vscode.commands.executeCommand('setContext', IS_ANSWER, answer);
}

/**
 * The citations of an answer that is open, from an earlier session perhaps, are the server's. Such an answer tells of use,
 * too: a window that is closed within seconds can lose what was to be remembered of it.
 */
function serve(lens: LensClient, reading: Reading, document: vscode.TextDocument): void {
  if (document.uri.scheme === SCHEME) {
    reading.used();
    void lens.warm();
  }
}
