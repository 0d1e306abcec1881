import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { TextParams, TextResult } from '../protocol/documents';
import { fileOfText, TEXT_SCHEME } from './textUri';
import { watchFile } from './watching';

/** What a document says, as the server reads it: `lens/text`. Rejects as `LensClient.request`. */
export function textResult(lens: LensClient, file: vscode.Uri): Promise<TextResult> {
  const params: TextParams = { uri: file.toString() };
  return lens.request<TextResult>('lens/text', params);
}

/** The `lens-text:` documents: texts of documents that are none, read-only, and read again when their files change. */
export class DocumentTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #watched = new Map<string, vscode.Disposable>();
  readonly #subscriptions: vscode.Disposable;

  constructor(private readonly lens: LensClient) {
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(TEXT_SCHEME, this),
      vscode.workspace.onDidOpenTextDocument((document) => this.#watch(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri)),
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const file = fileOfText(uri);
    if (file === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return (await textResult(this.lens, file)).text;
  }

  dispose(): void {
    vscode.Disposable.from(...this.#watched.values(), this.#subscriptions).dispose();
    this.#watched.clear();
  }

  #watch({ uri }: vscode.TextDocument): void {
    const file = fileOfText(uri);
    if (file !== undefined && !this.#watched.has(uri.toString())) {
      this.#watched.set(
        uri.toString(),
        watchFile(file, () => this.#changed.fire(uri)),
      );
    }
  }

  #forget(uri: vscode.Uri): void {
    this.#watched.get(uri.toString())?.dispose();
    this.#watched.delete(uri.toString());
  }
}
