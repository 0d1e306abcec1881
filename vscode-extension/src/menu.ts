/** What the status items open: everything that concerns Lens as a whole. */

import * as vscode from 'vscode';

const { l10n } = vscode;

/** `Lens: Menu` */
export async function showMenu(): Promise<void> {
  const separator = { kind: vscode.QuickPickItemKind.Separator };
  const items: (vscode.QuickPickItem & { command?: string })[] = [
    item('comment-discussion', l10n.t('Ask…'), 'lens.ask'),
    item('search', l10n.t('Search evidence…'), 'lens.search'),
    { label: l10n.t('Model'), ...separator },
    item('server-environment', l10n.t('Choose model…'), 'lens.chooseModel'),
    item('key', l10n.t('Set API key…'), 'lens.setApiKey'),
    item('radio-tower', l10n.t('Show what was sent'), 'lens.showSent'),
    item('preview', l10n.t('Show what would be sent…'), 'lens.previewSend'),
    { label: l10n.t('Server'), ...separator },
    item('debug-restart', l10n.t('Restart server'), 'lens.restart'),
    item('output', l10n.t('Show log'), 'lens.showLog'),
    item('clippy', l10n.t('Copy diagnostics'), 'lens.copyDiagnostics'),
    item('settings-gear', l10n.t('Settings'), 'lens.openSettings'),
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: 'Lens' });
  if (chosen?.command !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

function item(icon: string, label: string, command: string): vscode.QuickPickItem & { command: string } {
  return { label: `$(${icon}) ${label}`, command };
}
