import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { PDF_EDITOR, PdfViewers } from '../pdf/viewers';
import { told } from '../reading/actions';
import { fileOf } from '../reading/answerDocument';
import type { PlaceParams } from '../reading/locations';
import { Jump, type Showing } from './jump';
import { isPdf } from './kinds';
import { DocumentTexts } from './texts';
import { fileOfText, TEXT_SCHEME } from './textUri';

/** Longer words are found by their place. */
const LONGEST_QUOTE = 100_000;
const OPENED = new Set(['file', TEXT_SCHEME]);

/** Documents as what they are, and places in them. */
export interface Documents extends vscode.Disposable {
  readonly pdfs: PdfViewers;
}

/** The viewer of PDFs, the texts of documents that are none, and the commands that open a place of any. */
export function registerDocuments(context: vscode.ExtensionContext, lens: LensClient): Documents {
  const pdfs = new PdfViewers(context.extensionUri);
  const jump = new Jump(lens, pdfs);
  const parts = vscode.Disposable.from(
    pdfs,
    new DocumentTexts(lens),
    vscode.commands.registerCommand('lens.openPlace', (place: unknown, showing?: Showing) =>
      isPlace(place) ? jump.to(place, showing) : false,
    ),
    vscode.commands.registerCommand('lens.openAsText', (uri?: vscode.Uri) => {
      const file = uri ?? shownPdf();
      return file && told(() => jump.toText(pdfs.placeIn(file)));
    }),
    vscode.commands.registerCommand('lens.showPage', () => told(() => showPage(jump))),
    vscode.commands.registerCommand('lens.showPassage', () => told(() => showPassage(lens, jump))),
  );
  return { pdfs, dispose: () => parts.dispose() };
}

/** A link may come from anywhere: what it opens is a file, as any link could. */
function isPlace(value: unknown): value is PlaceParams {
  if (typeof value !== 'object' || value === null || !('uri' in value) || typeof value.uri !== 'string') {
    return false;
  }
  const { quote } = value as { readonly quote?: unknown };
  return (
    OPENED.has(vscode.Uri.parse(value.uri).scheme) &&
    (quote === undefined || (typeof quote === 'string' && quote.length <= LONGEST_QUOTE))
  );
}

/** The PDF that is read now. */
function shownPdf(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputCustom && input.viewType === PDF_EDITOR ? input.uri : undefined;
}

/** From the text of a PDF to the page that it stands on. */
async function showPage(jump: Jump): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const file = editor && fileOfText(editor.document.uri);
  if (editor !== undefined && file !== undefined) {
    const { start, end } = editor.selection;
    await jump.to({ uri: file.toString(), range: { start, end } });
  }
}

/** What the citation at the cursor cites: on its page where that is in a PDF, else where the editor goes by itself. */
async function showPassage(lens: LensClient, jump: Jump): Promise<void> {
  const { document, selection } = vscode.window.activeTextEditor ?? {};
  const answer = document && fileOf(document.uri);
  if (answer !== undefined && selection !== undefined) {
    const { line, character } = selection.active;
    const params = { textDocument: { uri: answer.toString() }, position: { line, character } };
    const found = await lens.request<readonly PlaceParams[] | null>('textDocument/definition', params);
    const page = found?.find(({ uri }) => isPdf(vscode.Uri.parse(uri, true).path));
    if (page !== undefined) {
      await jump.to(page);
      return;
    }
  }
  await vscode.commands.executeCommand('editor.action.revealDefinition');
}
