import * as vscode from 'vscode';
import type { LiveWords } from './liveAnswer';

/** The sentences of an answer that is coming, in the language of the editor. */
export function liveWords(): LiveWords {
  return {
    needs: vscode.l10n.t('What the answer needs'),
    soFar: vscode.l10n.t('Evidence so far'),
    evidence: vscode.l10n.t('Evidence'),
    answer: vscode.l10n.t('Answer'),
    checking: vscode.l10n.t('Answer, being checked'),
    status: statusWords(),
    searching: vscode.l10n.t('Searching …'),
    cancelled: vscode.l10n.t('Cancelled. This is what was found until then.'),
    nothingYet: vscode.l10n.t('nothing yet'),
    done: vscode.l10n.t('Done.'),
    failed: (message) => vscode.l10n.t('Failed: {0}', message),
    scanned: (files, found) =>
      found === 1
        ? vscode.l10n.t('{0} of 1 file', files)
        : vscode.l10n.t('{0} of {1} files', counted(files), counted(found)),
    round: (number) => vscode.l10n.t('round {0}', number),
    more: (count) => vscode.l10n.t('… and {0} more', counted(count)),
  };
}

/** What is said of a requirement beside its symbol. */
export function statusWords(): LiveWords['status'] {
  return {
    searching: vscode.l10n.t('searching'),
    covered: vscode.l10n.t('covered'),
    contested: vscode.l10n.t('contested'),
    missing: vscode.l10n.t('missing'),
  };
}

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
