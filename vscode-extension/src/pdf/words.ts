import * as vscode from 'vscode';
import type { ViewerWords } from './messages';

/** What the viewer says, in the language of the editor. */
export function viewerWords(): ViewerWords {
  // Numbers are put in by the viewer: here the places of them are.
  return {
    toolbar: vscode.l10n.t('Pages and size'),
    pages: vscode.l10n.t('Pages of the document'),
    previous: vscode.l10n.t('Previous page (p)'),
    next: vscode.l10n.t('Next page (n)'),
    smaller: vscode.l10n.t('Smaller (-)'),
    larger: vscode.l10n.t('Larger (+)'),
    page: vscode.l10n.t('Page {0}', '{0}'),
    ofPages: vscode.l10n.t('{0} / {1}', '{0}', '{1}'),
    highlighted: vscode.l10n.t('The quoted words are highlighted on page {0}.', '{0}'),
    notFound: vscode.l10n.t('The quoted words were not found on page {0}.', '{0}'),
    notFoundAnywhere: vscode.l10n.t('The quoted words were not found in this document.'),
    broken: vscode.l10n.t('This PDF is damaged and cannot be shown.'),
    locked: vscode.l10n.t('This PDF opens with a password only and is not shown here.'),
  };
}
