import * as vscode from 'vscode';

/** How many passages of how many files. */
export function passagesInFiles(passages: number, files: number): string {
  if (passages === 1) {
    return vscode.l10n.t('1 passage in 1 file');
  }
  return files === 1
    ? vscode.l10n.t('{0} passages in 1 file', counted(passages))
    : vscode.l10n.t('{0} passages in {1} files', counted(passages), counted(files));
}

/** A number as people here write it. */
export function counted(number: number): string {
  return number.toLocaleString(vscode.env.language);
}
