import * as path from 'node:path';
import * as vscode from 'vscode';

/** Tells when a file changes or is made anew. */
export function watchFile(file: vscode.Uri, changed: () => void): vscode.Disposable {
  const folder = vscode.Uri.joinPath(file, '..');
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(folder, escapedGlob(path.posix.basename(file.path))),
  );
  watcher.onDidChange(changed);
  watcher.onDidCreate(changed);
  return watcher;
}

function escapedGlob(name: string): string {
  return name.replace(/[[\]{}*?]/g, '[$&]');
}
