import * as vscode from 'vscode';
import { SCHEME } from './answerDocument';
import { headingLine } from './answerText';

/** The tabs that show a document. */
export function tabsOf(document: vscode.Uri): vscode.Tab[] {
  const wanted = document.toString();
  return vscode.window.tabGroups.all.flatMap((group) =>
    group.tabs.filter((tab) => documentOf(tab)?.toString() === wanted),
  );
}

/** Where an answer is shown: where another one is, else beside what is being read, else where nothing is. */
export function columnForAnswer(): vscode.ViewColumn {
  const groups = vscode.window.tabGroups.all;
  const other = groups.find((group) => group.activeTab && documentOf(group.activeTab)?.scheme === SCHEME);
  if (other !== undefined) {
    return other.viewColumn;
  }
  return vscode.window.tabGroups.activeTabGroup.tabs.length === 0 ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside;
}

/** Where a source is shown: where it is open already, else where something is read that is no answer. */
export function columnBeside(uri: vscode.Uri): vscode.ViewColumn {
  const wanted = uri.toString();
  const groups = vscode.window.tabGroups.all;
  const open = groups.find(({ tabs }) =>
    tabs.some(
      ({ input }) => typeof input === 'object' && input !== null && 'uri' in input && String(input.uri) === wanted,
    ),
  );
  if (open !== undefined) {
    return open.viewColumn;
  }
  const isAnswer = (group: vscode.TabGroup) => group.activeTab && documentOf(group.activeTab)?.scheme === SCHEME;
  const { activeTabGroup } = vscode.window.tabGroups;
  const group = isAnswer(activeTabGroup) ? groups.find((each) => !isAnswer(each)) : activeTabGroup;
  return group?.viewColumn ?? vscode.ViewColumn.Beside;
}

/** Milliseconds in which the editor reads a changed file at the latest. */
const READ_WITHIN = 2_000;

/** Waits until a document says what its file says: a question that is asked again has the same file. */
async function current(document: vscode.TextDocument): Promise<void> {
  const text = Buffer.from(await vscode.workspace.fs.readFile(document.uri)).toString('utf8');
  if (document.getText() === text) {
    return;
  }
  await new Promise<void>((resolve) => {
    const late = setTimeout(() => done(), READ_WITHIN);
    const reading = vscode.workspace.onDidChangeTextDocument((change) => change.document === document && done());
    const done = (): void => {
      clearTimeout(late);
      reading.dispose();
      resolve();
    };
  });
}

/** Show an answer from its heading on: what stands above that is for programs. */
export async function showAnswer(
  uri: vscode.Uri,
  options: Pick<vscode.TextDocumentShowOptions, 'viewColumn' | 'preserveFocus'> = {},
): Promise<vscode.TextEditor> {
  return showRead(await read(uri), options);
}

/** An answer with what stands in its file now. */
async function read(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  await current(document);
  return document;
}

async function showRead(
  document: vscode.TextDocument,
  options: Pick<vscode.TextDocumentShowOptions, 'viewColumn' | 'preserveFocus'>,
): Promise<vscode.TextEditor> {
  const heading = new vscode.Position(headingLine(document.getText()), 0);
  const selection = new vscode.Range(heading, heading);
  const viewColumn = options.viewColumn ?? tabsOf(document.uri)[0]?.group.viewColumn ?? columnForAnswer();
  const editor = await vscode.window.showTextDocument(document, { ...options, viewColumn, preview: false, selection });
  editor.revealRange(selection, vscode.TextEditorRevealType.AtTop);
  return editor;
}

function documentOf(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}
