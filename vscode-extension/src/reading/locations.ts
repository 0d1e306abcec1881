import * as vscode from 'vscode';
import { isExtracted } from '../documents/kinds';
import { located, pageOf } from '../documents/locator';
import { viewOf } from '../documents/textUri';
import type { Evidence } from '../protocol/evidence';
import type { WireRange } from '../protocol/places';
import { quoteIn, type Units, unitsOf } from './places';

/** A passage as `lens.openPlace` takes it: JSON, so that links and rows can carry it. */
export interface PlaceParams {
  readonly uri: string;
  /** In the text that is taken out of the document, where it is no text itself. */
  readonly range?: WireRange;
  /** The same in code points, for where the range is not known. */
  readonly span?: readonly [number, number];
  readonly quote?: string;
  /** Of a document with pages, from 1. */
  readonly page?: number;
}

/** Evidence as `lens.openPlace` takes it; undefined when its file changed while the question was answered. */
export function placeParams(evidence: Evidence): PlaceParams | undefined {
  const { uri, range, span, quote, locator } = evidence;
  if (uri === null || range === null) {
    return undefined;
  }
  const page = pageOf(locator);
  return { uri, range, ...(isExtracted(uri) && { span, quote, ...(page !== undefined && { page }) }) };
}

/** A link, or the row of a view, that opens a place. */
export function openingPlace(place: PlaceParams): vscode.Command {
  return { title: vscode.l10n.t('Open'), command: 'lens.openPlace', arguments: [place] };
}

/** The same for a link: it runs the command. */
export function linkTo(place: PlaceParams): vscode.Uri {
  return vscode.Uri.from({ scheme: 'command', path: 'lens.openPlace', query: JSON.stringify([place]) });
}

/** Where evidence is read as text now; undefined when its file changed while the question was answered. */
export function locationOf(evidence: Evidence): vscode.Location | undefined {
  if (evidence.uri === null || evidence.range === null) {
    return undefined;
  }
  return new vscode.Location(viewOf(vscode.Uri.parse(evidence.uri, true)), rangeOf(evidence.range));
}

/** LSP's range as the editor's. */
export function rangeOf({ start, end }: WireRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/**
 * A place as a person writes it, relative to the workspace: `path:line`, or as `located` has it for a document that is no
 * text; the path alone where nothing more is known.
 */
export function placeOf(evidence: Evidence): string {
  const path =
    evidence.uri === null ? evidence.path : vscode.workspace.asRelativePath(vscode.Uri.parse(evidence.uri, true));
  if (isExtracted(evidence.path)) {
    return located(path, evidence.locator);
  }
  return evidence.range === null ? path : `${path}:${evidence.range.start.line + 1}`;
}

/** Where a place stands in the text that it is read in; its quote, where it is known, wins over its numbers. */
export async function locationIn(place: PlaceParams): Promise<vscode.Location> {
  const uri = viewOf(vscode.Uri.parse(place.uri, true));
  const { range, span, quote } = place;
  if (quote === undefined && span === undefined) {
    return new vscode.Location(uri, range === undefined ? new vscode.Position(0, 0) : rangeOf(range));
  }
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const [start, end] = unitsIn(document, place);
    return new vscode.Location(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)));
  } catch {
    return new vscode.Location(uri, new vscode.Position(0, 0));
  }
}

function unitsIn(document: vscode.TextDocument, { range, span, quote }: PlaceParams): Units {
  const text = document.getText();
  const numbered: Units =
    span !== undefined
      ? unitsOf(text, span)
      : range !== undefined
        ? [document.offsetAt(rangeOf(range).start), document.offsetAt(rangeOf(range).end)]
        : [0, 0];
  return (quote === undefined ? undefined : quoteIn(text, quote, numbered[0])) ?? numbered;
}
