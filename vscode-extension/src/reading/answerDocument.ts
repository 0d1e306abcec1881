import { open } from 'node:fs/promises';
import * as vscode from 'vscode';
import { watchFile } from '../documents/watching';
import { isAnswer } from './answerText';

/** Answers as read-only documents: `lens-answer:` and the path of the file. */
export const SCHEME = 'lens-answer';

const HEAD_BYTES = 64;

/** Where an answer file is read: as itself inside the workspace folders, else as a document that cannot be edited. */
export function readable(file: vscode.Uri): vscode.Uri {
  return vscode.workspace.getWorkspaceFolder(file) === undefined ? file.with({ scheme: SCHEME }) : file;
}

/** The file behind a document of an answer; undefined for one that is in no file. */
export function fileOf(uri: vscode.Uri): vscode.Uri | undefined {
  return uri.scheme === 'file' || uri.scheme === SCHEME ? uri.with({ scheme: 'file' }) : undefined;
}

/** The file system of `lens-answer:`. It shows answer files: nothing else of the disk, and nothing in it can be written. */
export class AnswerDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changes.event;

  /** Something wrote the file of an answer. */
  changed(uri: vscode.Uri): void {
    this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    return watchFile(uri.with({ scheme: 'file' }), () => this.changed(uri));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const stat = await vscode.workspace.fs.stat(await this.#answer(uri));
    return { ...stat, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return vscode.workspace.fs.readFile(await this.#answer(uri));
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#changes.dispose();
  }

  /** The file to show. Raises for every file that is no answer: this is no way around the editor's own trust. */
  async #answer(uri: vscode.Uri): Promise<vscode.Uri> {
    const file = uri.with({ scheme: 'file' });
    const head = await headOf(file.fsPath).catch(() => undefined);
    if (head === undefined || !isAnswer(head)) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return file;
  }
}

async function headOf(name: string): Promise<string> {
  const file = await open(name, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
