import * as vscode from 'vscode';
import type { Scope } from '../protocol/asking';

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
