/** One paste for a bug report: versions and settings by name, no path, no host, no text. */

import * as vscode from 'vscode';
import type { LensClient } from './client';
import { inspectIn } from './configuration';
import type { StatusResult } from './protocol/status';
import type { Starter } from './server/starting';
import { SERVER_SETTINGS } from './settings';

/** The kind of a remote, as `ssh-remote`; some editors tell its address instead. */
function kindOf(remote: string | undefined): string | null {
  return remote === undefined || /^[a-z-]+$/.test(remote) ? (remote ?? null) : 'other';
}

/** `Lens: Copy Diagnostics` */
export async function copyDiagnostics(
  context: vscode.ExtensionContext,
  lens: LensClient,
  starter: Starter,
): Promise<void> {
  const said = {
    extension: String((context.extension.packageJSON as { version?: unknown }).version),
    editor: `${vscode.env.appName} ${vscode.version}`,
    host: vscode.env.appHost,
    remote: kindOf(vscode.env.remoteName),
    system: `${process.platform} ${process.arch}`,
    trusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
    settings: settingsByName(),
    server: { state: lens.state, source: starter.resolution?.source ?? null, version: starter.version ?? null },
    status: lens.state === 'running' ? await statusOf(lens) : null,
  };
  await vscode.env.clipboard.writeText(JSON.stringify(said, undefined, 2));
  void vscode.window.showInformationMessage(vscode.l10n.t('Diagnostics were copied. They name no file and no host.'));
}

/** Which settings are set, and by whom; not what they say. */
function settingsByName(): Record<string, string> {
  const inspect = inspectIn(undefined);
  const names: Record<string, string> = {};
  for (const name of ['path', 'interpreter', 'showNotifications', 'decorations', ...SERVER_SETTINGS]) {
    const said = inspect(name) ?? {};
    const by = [said.globalValue !== undefined && 'user', said.workspaceValue !== undefined && 'workspace'];
    if (by.some(Boolean)) {
      names[name] = by.filter(Boolean).join(', ');
    }
  }
  return names;
}

async function statusOf(lens: LensClient): Promise<object> {
  const status = await lens.request<StatusResult>('lens/status', {});
  const { version, positionEncoding, documents, asks, switchedOff, watching } = status;
  return {
    version,
    positionEncoding,
    documents,
    unsynced: status.unsynced.length,
    asks,
    switchedOff,
    watching,
  };
}
