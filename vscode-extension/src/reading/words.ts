import * as vscode from 'vscode';
import type { LiveWords } from './liveAnswer';

/** The sentences of an answer that is coming, in the language of the editor. */
export function liveWords(): LiveWords {
  return {
    needs: vscode.l10n.t('What the answer needs'),
    soFar: vscode.l10n.t('Evidence so far'),
    evidence: vscode.l10n.t('Evidence'),
    answer: vscode.l10n.t('Answer'),
    status: statusWords(),
    searching: vscode.l10n.t('Searching …'),
    cancelled: vscode.l10n.t('Cancelled. This is what was found until then.'),
    nothingYet: vscode.l10n.t('nothing yet'),
    done: vscode.l10n.t('Done.'),
    failed: (message) => vscode.l10n.t('Failed: {0}', message),
    scanned: (files, found) => vscode.l10n.t('{0} of {1} files searched', counted(files), counted(found)),
    reading: (round, names) => vscode.l10n.t('round {0}: reading {1}', round, names),
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

/** A number as people here write it. */
export function counted(number: number): string {
  return number.toLocaleString(vscode.env.language);
}
