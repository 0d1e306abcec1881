import * as vscode from 'vscode';
import type { Evidence } from '../protocol';
import { quoteIn, unitsOf } from './places';

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

/** Where a span of code points of a file stands in the editor; its quote, where it is known, wins over its numbers. */
export async function locationOfSpan(
  uri: vscode.Uri,
  span: readonly [number, number],
  quote?: string,
): Promise<vscode.Location> {
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const text = document.getText();
    const numbered = unitsOf(text, span);
    const [start, end] = (quote === undefined ? undefined : quoteIn(text, quote, numbered[0])) ?? numbered;
    return new vscode.Location(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)));
  } catch {
    return new vscode.Location(uri, new vscode.Position(0, 0));
  }
}
