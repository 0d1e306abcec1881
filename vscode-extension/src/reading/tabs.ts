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

/** Show an answer from its heading on: what stands above that is for programs. */
export async function showAnswer(
  uri: vscode.Uri,
  options: Pick<vscode.TextDocumentShowOptions, 'viewColumn' | 'preserveFocus'> = {},
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri);
  const heading = new vscode.Position(headingLine(document.getText()), 0);
  const selection = new vscode.Range(heading, heading);
  const viewColumn = options.viewColumn ?? tabsOf(uri)[0]?.group.viewColumn ?? columnForAnswer();
  const editor = await vscode.window.showTextDocument(document, { ...options, viewColumn, preview: false, selection });
  editor.revealRange(selection, vscode.TextEditorRevealType.AtTop);
  return editor;
}

/**
 * Show one document where another is, and close that. A tab behind others is replaced when the user comes back to it:
 * nothing jumps in front of what they read meanwhile.
 */
export async function replaceTab(old: vscode.Uri, document: vscode.Uri): Promise<void> {
  const [tab] = tabsOf(old);
  if (tab === undefined) {
    return;
  }
  if (!tab.isActive) {
    const waiting = vscode.window.tabGroups.onDidChangeTabs(() => {
      const now = tabsOf(old)[0];
      if (now === undefined || now.isActive) {
        waiting.dispose();
        void replaceTab(old, document);
      }
    });
    return;
  }
  const focused = vscode.window.activeTextEditor?.document.uri.toString() === old.toString();
  const viewColumn = tab.group.viewColumn;
  await showAnswer(document, { viewColumn, preserveFocus: !focused });
  await vscode.window.tabGroups.close(tabsOf(old), true);
}

function documentOf(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}
