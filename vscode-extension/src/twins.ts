/**
 * One text for the server, though the editor may show it twice: a file, and the same file as an answer to be read.
 *
 * The server knows both by the file's URI, and a URI that is opened twice is an error of the client. The file wins, since
 * it can be edited.
 */

import type * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { fileOfText } from './documents/textUri';

type Notify = (method: string, params: object) => Promise<void>;

/** Which documents the server knows. */
export class Twins {
  readonly #scheme: string;
  readonly #open = new Map<string, vscode.TextDocument>();
  readonly #hidden = new Map<string, vscode.TextDocument>();
  #notify: Notify = async () => {};

  /** @param scheme - of answers that are read; their path is that of the file. */
  constructor(scheme: string) {
    this.#scheme = scheme;
  }

  /** How the server is told when the document behind a URI is another one. */
  attach(notify: Notify): void {
    this.#notify = notify;
  }

  /** What the server calls a document. */
  nameOf(uri: vscode.Uri): string {
    return (uri.scheme === this.#scheme ? uri.with({ scheme: 'file' }) : (fileOfText(uri) ?? uri)).toString();
  }

  readonly middleware: Pick<Middleware, 'didOpen' | 'didChange' | 'didClose'> = {
    didOpen: async (document, next) => {
      const name = this.nameOf(document.uri);
      const other = this.#open.get(name);
      if (other !== undefined && other !== document) {
        if (document.uri.scheme === this.#scheme) {
          this.#hidden.set(name, document);
          return;
        }
        this.#hidden.set(name, other);
        await this.#notify('textDocument/didClose', { textDocument: { uri: name } });
      }
      this.#open.set(name, document);
      await next(document);
    },
    didChange: async (event, next) => {
      if (this.#open.get(this.nameOf(event.document.uri)) === event.document) {
        await next(event);
      }
    },
    didClose: async (document, next) => {
      const name = this.nameOf(document.uri);
      const hidden = this.#hidden.get(name);
      if (hidden === document) {
        this.#hidden.delete(name);
      } else if (this.#open.get(name) === document) {
        this.#open.delete(name);
        await next(document);
        await this.#uncover(name, hidden);
      }
    },
  };

  async #uncover(name: string, hidden: vscode.TextDocument | undefined): Promise<void> {
    if (hidden === undefined) {
      return;
    }
    this.#hidden.delete(name);
    this.#open.set(name, hidden);
    const { languageId, version } = hidden;
    await this.#notify('textDocument/didOpen', {
      textDocument: { uri: name, languageId, version, text: hidden.getText() },
    });
  }
}
