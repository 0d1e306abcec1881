import * as vscode from 'vscode';
import type { AnswerResult } from '../protocol/answer';

/** Why an answer ended before it was complete, in words; undefined where it did not. */
export function cutShort({ stopped }: Pick<AnswerResult, 'stopped'>): string | undefined {
  switch (stopped) {
    case 'budget-calls':
      return vscode.l10n.t('Stopped: all calls that the budget allows were made');
    case 'budget-tokens':
      return vscode.l10n.t('Stopped: all tokens that the budget allows were used');
    case 'budget-seconds':
      return vscode.l10n.t('Stopped: all the time that the budget allows was used');
    case 'budget-cost':
      return vscode.l10n.t('Stopped: all that the budget allows was spent');
    case 'model-failed':
      return vscode.l10n.t('The model failed');
    default:
      return undefined;
  }
}
