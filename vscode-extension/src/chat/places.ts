import * as vscode from 'vscode';
import type { Evidence, Scope } from '../protocol';

/** Where evidence stands now; undefined when its file changed while the question was answered. */
export function locationOf(evidence: Evidence): vscode.Location | undefined {
  if (evidence.uri === null || evidence.range === null) {
    return undefined;
  }
  const { start, end } = evidence.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  return new vscode.Location(vscode.Uri.parse(evidence.uri, true), range);
}

/** `path:line` as a person writes it, relative to the workspace; the path alone where the line is unknown. */
export function placeOf(evidence: Evidence): string {
  const path =
    evidence.uri === null ? evidence.path : vscode.workspace.asRelativePath(vscode.Uri.parse(evidence.uri, true));
  return evidence.range === null ? path : `${path}:${evidence.range.start.line + 1}`;
}

/** The files and folders that somebody attached to a request, as the only ones to be searched; nothing for none. */
export function scopeOf(references: readonly vscode.ChatPromptReference[]): { readonly scope?: Scope } {
  const uris = references.flatMap((reference) => {
    // What the editor attaches by itself, such as the visible text, is not what the question is limited to.
    if (reference.id.startsWith('vscode.implicit')) {
      return [];
    }
    const { value } = reference;
    const uri = value instanceof vscode.Location ? value.uri : value;
    return uri instanceof vscode.Uri && uri.scheme === 'file' ? [uri.toString()] : [];
  });
  return uris.length === 0 ? {} : { scope: { folders: [...new Set(uris)] } };
}
