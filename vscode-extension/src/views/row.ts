import * as vscode from 'vscode';
import { oneLine } from '../reading/plain';
import type { HasSubject, Subject } from '../reading/subject';

/** One line of the Lens view. */
export interface Row extends Partial<HasSubject> {
  readonly item: vscode.TreeItem;
  /** The whole id of the cluster that the row stands for. */
  readonly cluster?: string;
  children?(): readonly Row[] | Promise<readonly Row[]>;
}

/** What a row says and does. */
export interface RowParts {
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: string;
  /** What menus go by. */
  readonly kind?: string;
  readonly id?: string;
  readonly subject?: Subject;
  readonly cluster?: string;
  readonly open?: vscode.Command;
  readonly children?: () => readonly Row[] | Promise<readonly Row[]>;
  readonly expanded?: boolean;
}

const LONGEST_LABEL = 160;
const LONGEST_TOOLTIP = 2_000;

/** A row; all texts in it are plain, and what a screen reader says is what stands there. */
export function row(parts: RowParts): Row {
  const { label, description, children } = parts;
  const state = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(
    oneLine(label, LONGEST_LABEL),
    children === undefined ? state.None : parts.expanded ? state.Expanded : state.Collapsed,
  );
  item.tooltip = oneLine(parts.tooltip ?? label, LONGEST_TOOLTIP);
  const beside = oneLine(description ?? '', LONGEST_LABEL);
  item.accessibilityInformation = { label: [item.label, beside].filter(Boolean).join(', ') };
  if (beside !== '') {
    item.description = beside;
  }
  if (parts.icon !== undefined) {
    item.iconPath = new vscode.ThemeIcon(parts.icon);
  }
  if (parts.kind !== undefined) {
    item.contextValue = parts.kind;
  }
  if (parts.id !== undefined) {
    item.id = parts.id;
  }
  if (parts.open !== undefined) {
    item.command = parts.open;
  }
  return {
    item,
    ...(parts.subject !== undefined && { subject: parts.subject }),
    ...(parts.cluster !== undefined && { cluster: parts.cluster }),
    ...(children !== undefined && { children }),
  };
}

/** A row that only says something. */
export function note(label: string): Row {
  return row({ label, icon: 'info' });
}

/** What a click on a row does that stands for an answer. */
export function openingAnswer(document: vscode.Uri): vscode.Command {
  return { title: vscode.l10n.t('Open'), command: 'lens.openAnswer', arguments: [document] };
}
