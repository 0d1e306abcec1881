import * as path from 'node:path';
import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { viewOf } from '../documents/textUri';
import { Failure, failureOf } from '../failures';
import type { RecheckParams, RecheckResult } from '../protocol/checking';
import type { InsertAnswerParams, InsertAnswerResult } from '../protocol/kept';
import type { WireRange } from '../protocol/places';
import { replaceWhole } from '../wholeFile';
import { fileOf } from './answerDocument';
import { headingLine, relocated, shareable } from './answerText';
import { showPlaces } from './evidenceView';
import { locationOf, rangeOf } from './locations';
import { inNotification } from './plain';
import type { Reading } from './reading';
import { nearestSubject, type Subject, subjectOf, textOf } from './subject';
import { counted } from './words';

/** What can be done with an answer, from its document and from the view. */
export function registerActions(
  lens: LensClient,
  reading: Pick<Reading, 'asked' | 'documents'>,
  rechecked: () => void,
): vscode.Disposable {
  const notes = new LastNote();
  const command = (id: string, act: (subject: Subject & { readonly document: vscode.Uri }) => Promise<unknown>) =>
    vscode.commands.registerCommand(id, (argument?: unknown) =>
      told(async () => {
        const subject = nearestSubject(argument, reading.asked);
        const document = subject?.document;
        if (document === undefined || fileOf(document) === undefined) {
          void vscode.window.showInformationMessage(vscode.l10n.t('Lens: open an answer first.'));
          return;
        }
        await act({ ...subject, document });
      }),
    );
  return vscode.Disposable.from(
    notes,
    command('lens.showEvidence', ({ document }) => showEvidence(lens, reading, document)),
    command('lens.insertAnswer', ({ document }) => insertAnswer(lens, notes.now, document)),
    command('lens.copyAnswer', ({ document }) => copyAnswer(document)),
    command('lens.exportAnswer', ({ document }) => exportAnswer(document)),
    vscode.commands.registerCommand('lens.recheck', (argument?: unknown) =>
      told(async () => {
        await recheck(lens, subjectOf(argument, reading.asked)?.document);
        rechecked();
      }),
    ),
  );
}

/** Do something; tell the user when it fails. */
export async function told(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const failure = failureOf(error);
    if (!(failure instanceof vscode.CancellationError)) {
      void vscode.window.showErrorMessage(vscode.l10n.t('Lens: {0}', inNotification(failure.message)));
    }
  }
}

/** All that an answer rests on, as it stands now: the server looks its citations up. */
async function showEvidence(lens: LensClient, reading: Pick<Reading, 'asked'>, document: vscode.Uri): Promise<void> {
  const heading = new vscode.Position(headingLine(await textOf(document)), 0);
  const places = await referencesAt(lens, document, heading);
  const known = reading.asked.of(document)?.result?.evidence.flatMap((each) => locationOf(each) ?? []) ?? [];
  const all = places.length > 0 ? places : known;
  if (all.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Lens: nothing that this answer cites stands any more.'));
    return;
  }
  await showPlaces(vscode.l10n.t('Lens: evidence'), all, new vscode.Location(document, heading));
}

async function referencesAt(
  lens: LensClient,
  document: vscode.Uri,
  position: vscode.Position,
): Promise<vscode.Location[]> {
  const found = await lens.request<readonly { readonly uri: string; readonly range: WireRange }[] | null>(
    'textDocument/references',
    {
      textDocument: { uri: fileOf(document)?.toString() },
      position: { line: position.line, character: position.character },
      context: { includeDeclaration: false },
    },
  );
  return (found ?? []).map(
    ({ uri, range }) => new vscode.Location(viewOf(vscode.Uri.parse(uri, true)), rangeOf(range)),
  );
}

/** Look citations up again, of one answer or of everything that is known; what that shows becomes diagnostics. */
async function recheck(lens: LensClient, document: vscode.Uri | undefined): Promise<void> {
  const title = vscode.l10n.t('Lens: looking citations up again');
  const file = document && fileOf(document);
  const options = { location: vscode.ProgressLocation.Window, title };
  const params: RecheckParams = file === undefined ? {} : { uri: file.toString() };
  const result = await vscode.window.withProgress(options, () => lens.request<RecheckResult>('lens/recheck', params));
  void vscode.window.showInformationMessage(vscode.l10n.t('Citations: {0}', inWords(result.counts)));
}

/** How many citations are in which state, in words. */
function inWords(counts: RecheckResult['counts']): string {
  const said = [
    [counts.verified, vscode.l10n.t('{0} verified', counted(counts.verified ?? 0))],
    [counts.moved, vscode.l10n.t('{0} moved', counted(counts.moved ?? 0))],
    [counts.withdrawn, vscode.l10n.t('{0} withdrawn', counted(counts.withdrawn ?? 0))],
    [counts.unverifiable, vscode.l10n.t('{0} cannot be checked', counted(counts.unverifiable ?? 0))],
  ] as const;
  return (
    said
      .filter(([count]) => count)
      .map(([, words]) => words)
      .join(', ') || vscode.l10n.t('none')
  );
}

/** A note of the user's: an empty one where no note is open. */
async function newNote(): Promise<vscode.TextEditor | undefined> {
  const start = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('New note for this answer'),
    saveLabel: vscode.l10n.t('Insert'),
    filters: { Markdown: ['md'] },
    ...(start !== undefined && { defaultUri: vscode.Uri.joinPath(start, 'note.md') }),
  });
  if (target === undefined) {
    return undefined;
  }
  const there = await vscode.workspace.fs.stat(target).then(
    () => true,
    () => false,
  );
  if (!there) {
    await vscode.workspace.fs.writeFile(target, new Uint8Array());
  }
  const editor = await vscode.window.showTextDocument(target);
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  editor.selection = new vscode.Selection(end, end);
  return editor;
}

async function insertAnswer(
  lens: LensClient,
  note: vscode.TextEditor | undefined,
  document: vscode.Uri,
): Promise<void> {
  const answer = fileOf(document)?.toString();
  if (answer === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Lens: this answer is kept in no file, so it cannot be put into a note; ask again.'),
    );
    return;
  }
  note ??= await newNote();
  if (note === undefined) {
    return;
  }
  const { line, character } = note.selection.active;
  const params: InsertAnswerParams = {
    uri: note.document.uri.toString(),
    position: { line, character },
    answer,
  };
  const { inserted } = await lens.request<InsertAnswerResult>('workspace/executeCommand', {
    command: 'lens.server.insertAnswer',
    arguments: [params],
  });
  if (inserted) {
    const viewColumn = note.viewColumn;
    await vscode.window.showTextDocument(note.document, viewColumn === undefined ? {} : { viewColumn });
  }
}

async function copyAnswer(document: vscode.Uri): Promise<void> {
  await vscode.env.clipboard.writeText(shareable(await textOf(document), folderOf(document)));
  vscode.window.setStatusBarMessage(vscode.l10n.t('Lens: copied'), 3_000);
}

/** The answer file itself, so that it can be checked where it goes. */
async function exportAnswer(document: vscode.Uri): Promise<void> {
  const start = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = path.basename(document.fsPath);
  const target = await vscode.window.showSaveDialog({
    filters: { Markdown: ['md'] },
    ...(start !== undefined && { defaultUri: vscode.Uri.joinPath(start, name) }),
  });
  if (target !== undefined) {
    const text = relocated(await textOf(document), folderOf(document));
    if (target.scheme !== 'file') {
      await vscode.workspace.fs.writeFile(target, Buffer.from(text));
    } else if (!(await replaceWhole(target.fsPath, text))) {
      throw new Failure(vscode.l10n.t('There is a link or no file at {0}: choose another name.', target.fsPath));
    }
    await vscode.window.showTextDocument(target);
    void vscode.window.showInformationMessage(vscode.l10n.t('Saved as {0}', vscode.workspace.asRelativePath(target)));
  }
}

function folderOf(document: vscode.Uri): string {
  return path.dirname(fileOf(document)?.fsPath ?? document.fsPath);
}

/** The note that was edited last: where an answer goes that is read in another editor. */
class LastNote implements vscode.Disposable {
  #last: vscode.TextEditor | undefined;
  readonly #watching: vscode.Disposable;

  constructor() {
    this.#keep(vscode.window.activeTextEditor);
    this.#watching = vscode.window.onDidChangeActiveTextEditor((editor) => this.#keep(editor));
  }

  get now(): vscode.TextEditor | undefined {
    return this.#last?.document.isClosed === false ? this.#last : undefined;
  }

  dispose(): void {
    this.#watching.dispose();
  }

  #keep(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme === 'file' && editor.document.languageId === 'markdown') {
      this.#last = editor;
    }
  }
}
