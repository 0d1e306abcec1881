import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { Scope } from '../protocol/asking';
import type { WireRange } from '../protocol/places';
import { told } from '../reading/actions';
import type { Reading } from '../reading/reading';
import { registerAgain } from './again';
import { Asking, type Request } from './asking';
import { askInNote } from './note';
import { previewSend } from './preview';
import { ChosenScope, type NamedScope, only } from './scope';
import { search } from './search';

const LONGEST_QUESTION = 2_000;

/** The ways to ask: palette, keys, menus of the editor and the explorer, and whoever calls with a question. */
export function registerAsking(
  context: vscode.ExtensionContext,
  lens: LensClient,
  reading: Reading,
): Asking & vscode.Disposable {
  const asking = new Asking(lens, reading);
  const chosen = new ChosenScope(context.workspaceState);
  const commands = vscode.Disposable.from(
    vscode.commands.registerCommand('lens.ask', (argument?: unknown) => ask(asking, chosen, argument)),
    vscode.commands.registerCommand('lens.askIn', async () => {
      const scope = await chosen.choose();
      return scope && askIn(asking, chosen, scope);
    }),
    vscode.commands.registerCommand('lens.askSelection', () => askSelection(asking, chosen)),
    vscode.commands.registerCommand('lens.askFolder', (clicked?: vscode.Uri, all?: readonly vscode.Uri[]) =>
      askFolder(asking, chosen, all?.length ? all : clicked ? [clicked] : []),
    ),
    vscode.commands.registerCommand('lens.search', (argument?: unknown) =>
      search(lens, reading, chosen, typeof argument === 'string' ? argument : ''),
    ),
    vscode.commands.registerCommand('lens.previewSend', () =>
      told(async () => {
        const request = await typedQuestion(chosen, chosen.now, '');
        return request && previewSend(lens, reading, request);
      }),
    ),
    // Where the server's own command goes for a line that asks.
    vscode.commands.registerCommand('lens.askInNote', (argument: object) =>
      told(() => askInNote(lens, reading, argument)),
    ),
    registerAgain(lens, reading, asking),
  );
  return Object.assign(asking, { dispose: () => commands.dispose() });
}

/** With a question, as text or as a request, it is asked at once; without one the user types it. */
function ask(asking: Asking, chosen: ChosenScope, argument: unknown): Promise<unknown> {
  const request = requestOf(argument);
  return request === undefined ? askIn(asking, chosen, chosen.now) : asking.ask(request);
}

async function askIn(asking: Asking, chosen: ChosenScope, scope: NamedScope, typed = ''): Promise<unknown> {
  const question = await typedQuestion(chosen, scope, typed);
  return question && asking.ask(question);
}

function askFolder(asking: Asking, chosen: ChosenScope, folders: readonly vscode.Uri[]): Promise<unknown> {
  return askIn(asking, chosen, folders.length > 0 ? only(folders) : chosen.now);
}

/** The selection is the question, to be changed before it is asked; it is never evidence for itself. */
async function askSelection(asking: Asking, chosen: ChosenScope): Promise<unknown> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) {
    return askIn(asking, chosen, chosen.now);
  }
  const words = editor.document.getText(editor.selection).replace(/\s+/g, ' ').trim().slice(0, LONGEST_QUESTION);
  const { name, scope } = chosen.now;
  return askIn(asking, chosen, { name, scope: { ...scope, ...selected(editor) } }, words);
}

function selected(editor: vscode.TextEditor): Scope {
  const { document, selection } = editor;
  const range: WireRange = {
    start: { line: selection.start.line, character: selection.start.character },
    end: { line: selection.end.line, character: selection.end.character },
  };
  return document.uri.scheme === 'file' ? { uri: document.uri.toString(), range } : {};
}

/** The box in which a question is typed, with a button that says where it is asked and changes that. */
function typedQuestion(chosen: ChosenScope, start: NamedScope, typed: string): Promise<Request | undefined> {
  const box = vscode.window.createInputBox();
  let scope = start;
  const told = () => {
    const where = vscode.l10n.t('Search in: {0}', scope.name);
    box.prompt = where;
    box.buttons = [{ iconPath: new vscode.ThemeIcon('folder'), tooltip: vscode.l10n.t('{0}. Change…', where) }];
  };
  box.title = vscode.l10n.t('Lens: Ask');
  box.placeholder = vscode.l10n.t('Ask about your files; press Enter');
  box.value = typed;
  box.ignoreFocusOut = true;
  told();
  return new Promise((resolve) => {
    let choosing = false;
    const done = (request?: Request) => {
      resolve(request); // before it is disposed of, which tells that it is hidden
      box.dispose();
    };
    box.onDidAccept(() => {
      const question = box.value.trim();
      if (question !== '') {
        done({ question, scope: scope.scope });
      }
    });
    box.onDidTriggerButton(async () => {
      choosing = true;
      scope = (await chosen.choose()) ?? scope;
      choosing = false;
      told();
      box.show();
    });
    // Another quick input hides this one; that is no answer of the user's.
    box.onDidHide(() => choosing || done());
    box.show();
  });
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
