import * as vscode from 'vscode';
import { SCHEME } from './answerDocument';
import { lastFrontLine } from './answerText';

/**
 * Folds what stands above an answer's heading, where the answer is shown.
 *
 * It is declared as imports because these are all that the editor folds by itself, as `editor.foldingImportsByDefault`
 * of the manifest says: the command that folds would fold in the editor that has the focus, which may be another one.
 */
export function registerFolding(): vscode.Disposable {
  const selector: vscode.DocumentSelector = [
    { scheme: SCHEME, language: 'markdown' },
    { scheme: 'file', language: 'markdown' },
  ];
  return vscode.languages.registerFoldingRangeProvider(selector, {
    provideFoldingRanges: (document) => {
      const last = lastFrontLine(document.getText());
      return last === undefined ? [] : [new vscode.FoldingRange(0, last, vscode.FoldingRangeKind.Imports)];
    },
  });
}
