import type * as vscode from 'vscode';
import { isExtracted } from './kinds';

/** The text of a document that is no text file, to be read: `lens-text:` and the path of the file with `.txt` behind. */
export const TEXT_SCHEME = 'lens-text';

/** By its own name another extension would take the text for the document that it is the text of. */
const ENDING = '.txt';

/** Where the text of a file is read. */
export function textOf(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme: TEXT_SCHEME, path: `${file.path}${ENDING}` });
}

/** The file that a `lens-text:` document is the text of; undefined for any other document. */
export function fileOfText(uri: vscode.Uri): vscode.Uri | undefined {
  return uri.scheme === TEXT_SCHEME && uri.path.endsWith(ENDING)
    ? uri.with({ scheme: 'file', path: uri.path.slice(0, -ENDING.length), fragment: '' })
    : undefined;
}

/** Where lines and columns of a file count: in itself, or in the text that is taken out of it. */
export function viewOf(uri: vscode.Uri): vscode.Uri {
  return uri.scheme === 'file' && isExtracted(uri.path) ? textOf(uri) : uri;
}
