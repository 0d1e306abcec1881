import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { Scope } from '../protocol/asking';
import type { WireRange } from '../protocol/places';
import { told } from '../reading/actions';
import type { Reading } from '../reading/reading';
import type { AnswerView, Request } from '../views/answerView';
import { registerAgain } from './again';
import { askInNote } from './note';
import { type ChosenScope, only } from './scope';
import { search } from './search';

const LONGEST_QUESTION = 2_000;

/** The ways to ask: palette, keys, menus of the editor and the explorer, and whoever calls with a question. */
export function registerAsking(
  lens: LensClient,
  reading: Reading,
  view: AnswerView,
  chosen: ChosenScope,
): vscode.Disposable {
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    registerCommand('lens.ask', (argument?: unknown) => ask(view, argument)),
    registerCommand('lens.askIn', async () => {
      const scope = await chosen.choose();
      return scope && view.show({ type: 'show', view: 'ask', scope });
    }),
    registerCommand('lens.askSelection', () => askSelection(view)),
    registerCommand('lens.askFolder', (clicked?: vscode.Uri, all?: readonly vscode.Uri[]) => {
      const folders = all?.length ? all : clicked ? [clicked] : [];
      return view.show({ type: 'show', view: 'ask', ...(folders.length > 0 && { scope: only(folders) }) });
    }),
    registerCommand('lens.search', (argument?: unknown) =>
      search(lens, reading, chosen, typeof argument === 'string' ? argument : ''),
    ),
    registerCommand('lens.previewSend', () => view.show({ type: 'show', view: 'ask' })),
    registerCommand('lens.showSent', () => view.show({ type: 'show', view: 'sent' })),
    registerCommand('lens.showKnown', () => view.show({ type: 'show', view: 'map' })),
    registerCommand('lens.nextEvidence', () => view.step(1)),
    registerCommand('lens.previousEvidence', () => view.step(-1)),
    // Where the server's own command goes for a line that asks.
    registerCommand('lens.askInNote', (argument: object) => told(() => askInNote(lens, reading, argument))),
    registerAgain(lens, reading, view),
  );
}

/** With a question, as text or as a request, it is asked at once; without one the user types it. */
function ask(view: AnswerView, argument: unknown): Promise<unknown> {
  const request = requestOf(argument);
  return request === undefined ? view.show({ type: 'show', view: 'ask' }) : view.ask(request);
}

/** The selection is the question, to be changed before it is asked; it is never evidence for itself. */
async function askSelection(view: AnswerView): Promise<unknown> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) {
    return view.show({ type: 'show', view: 'ask' });
  }
  const draft = editor.document.getText(editor.selection).replace(/\s+/g, ' ').trim().slice(0, LONGEST_QUESTION);
  const scope = { name: vscode.l10n.t('All but the selected words'), scope: selected(editor), once: true };
  return view.show({ type: 'show', view: 'ask', draft, scope });
}

function selected(editor: vscode.TextEditor): Scope {
  const { document, selection } = editor;
  const range: WireRange = {
    start: { line: selection.start.line, character: selection.start.character },
    end: { line: selection.end.line, character: selection.end.character },
  };
  return document.uri.scheme === 'file' ? { uri: document.uri.toString(), range } : {};
}

function requestOf(argument: unknown): Request | undefined {
  if (typeof argument === 'string' && argument.trim() !== '') {
    return { question: argument.trim() };
  }
  if (typeof argument !== 'object' || argument === null || !('question' in argument)) {
    return undefined;
  }
  const { question, scope, thread, mode } = argument as Partial<Request>;
  if (typeof question !== 'string' || question.trim() === '') {
    return undefined;
  }
  return {
    question: question.trim(),
    ...(scope !== undefined && { scope }),
    ...(thread !== undefined && { thread }),
    ...(mode !== undefined && { mode }),
  };
}
