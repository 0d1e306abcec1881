import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { Place } from '../pdf/messages';
import { targetIn } from '../pdf/target';
import type { PdfViewers } from '../pdf/viewers';
import { told } from '../reading/actions';
import { locationIn, type PlaceParams } from '../reading/locations';
import { columnBeside } from '../reading/tabs';
import { isExtracted, isPdf } from './kinds';
import { textResult } from './texts';
import { fileOfText } from './textUri';

/** How a place is shown. */
export interface Showing {
  /** Leave the focus where it is, in a tab that the next one may replace. */
  readonly preview?: boolean;
  /** Where it is open already, and never on top of an answer. */
  readonly beside?: boolean;
}

/** Shows passages: in the text that they stand in, or on the page of a PDF. */
export class Jump {
  constructor(
    private readonly lens: LensClient,
    private readonly pdfs: PdfViewers,
  ) {}

  /** Show a place as the document that it stands in. False where there is nothing to show. */
  async to(place: PlaceParams, showing: Showing = {}): Promise<boolean> {
    const uri = vscode.Uri.parse(place.uri, true);
    const file = fileOfText(uri) ?? uri;
    const shown = { ...place, uri: file.toString() };
    return isPdf(file.path) ? this.#toPage(file, shown, showing) : this.toText(shown, showing);
  }

  /**
   * Show a place in the text that it stands in, the passage selected and in the middle. A file that has no text is opened
   * by whatever opens it.
   */
  async toText(place: PlaceParams, showing: Showing = {}): Promise<boolean> {
    const preview = showing.preview === true;
    const { uri, range } = await locationIn(place);
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document, {
        preview,
        preserveFocus: preview,
        selection: range,
        ...(showing.beside === true && { viewColumn: columnBeside(uri) }),
      });
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return true;
    } catch {
      if (!preview) {
        await this.#openOtherwise(vscode.Uri.parse(place.uri, true));
      }
      return false;
    }
  }

  /** Not a text, or gone: the editor says so itself when it is asked to open it, the server why it reads no text in it. */
  async #openOtherwise(file: vscode.Uri): Promise<void> {
    if (isExtracted(file.path)) {
      await told(() => textResult(this.lens, file));
    }
    await vscode.commands.executeCommand('vscode.open', file);
  }

  async #toPage(file: vscode.Uri, place: PlaceParams, { preview = false, beside = false }: Showing): Promise<boolean> {
    const { page, quote } = place;
    const known = page !== undefined && quote !== undefined;
    const target = known ? { page, quote } : await this.#looked(file, place);
    // The place on the page matters only where the page says the same words twice: until then nobody is asked for it.
    const exactly = known ? () => this.#looked(file, place) : undefined;
    await this.pdfs.show(file, target, { preview, exactly, viewColumn: beside ? columnBeside(file) : undefined });
    return true;
  }

  /** What the server knows of a place by its numbers; what the place says of itself where the server does not run. */
  async #looked(file: vscode.Uri, place: PlaceParams): Promise<Place> {
    const { page, quote, range, span } = place;
    const said = { ...(page !== undefined && { page }), ...(quote !== undefined && { quote }) };
    if (range === undefined && span === undefined) {
      return said;
    }
    try {
      return { ...targetIn(await textResult(this.lens, file), place), ...said };
    } catch {
      return said; // the pages can be shown all the same
    }
  }
}
