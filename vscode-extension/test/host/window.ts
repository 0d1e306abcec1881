/** The window that the tests run in: a copy of the papers of a town library, and the extension. */

import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { LensApi } from '../../src/extension';

/** A question that the papers answer, and the sentence that proves it. */
export const QUESTION = 'How many questions run at a time and how many wait?';
export const PROOF = 'Four questions run at a time and sixty-four wait.';
export const SOURCE = 'service/enquiry-desk.md';

/** The extension, as the editor knows it. */
export function extension(): vscode.Extension<LensApi> {
  const found = vscode.extensions.getExtension<LensApi>('lens-lsp.lens');
  assert.ok(found, 'the extension is not installed');
  return found;
}

/** The client of this window. */
export async function client(): Promise<LensApi['client']> {
  return (await extension().activate()).client;
}

/** A file of the workspace. */
export function inWorkspace(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'no folder is open');
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Waits until an event, or what is there already, satisfies a condition. */
export function until<T>(
  event: vscode.Event<unknown>,
  look: () => T | undefined | false,
  milliseconds = 60_000,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      listening.dispose();
      reject(new Error(`it did not happen within ${milliseconds} ms: ${look}`));
    }, milliseconds);
    const check = (): void => {
      const found = look();
      if (found) {
        clearTimeout(late);
        listening.dispose();
        resolve(found);
      }
    };
    const listening = event(check);
    check();
  });
}

/** Replaces words of a file, as a person who types and saves. */
export async function replace(uri: vscode.Uri, words: string, by: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const at = document.getText().indexOf(words);
  assert.ok(at >= 0, `${uri.path} does not say “${words}”`);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(document.positionAt(at), document.positionAt(at + words.length)), by);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(await document.save());
}
