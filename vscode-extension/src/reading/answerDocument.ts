import { open } from 'node:fs/promises';
import * as vscode from 'vscode';
import { watchFile } from '../documents/watching';
import { isAnswer } from './answerText';
import type { LiveLink, LivePage } from './liveAnswer';

/** Answers as read-only documents: `lens-answer:` and the path of the file, or of one that is still being answered. */
export const SCHEME = 'lens-answer';

const ASKING = '/asking/';
const LONGEST_NAME = 60;
const MOST_LIVE = 30;
const HEAD_BYTES = 64;
const NOTHING: LivePage = { text: '', links: [] };

/** Whether an answer is still coming, or came and was never kept in a file. */
export function isLive(uri: vscode.Uri): boolean {
  return uri.scheme === SCHEME && uri.path.startsWith(ASKING);
}

/** Where an answer file is read: as itself inside the workspace folders, else as a document that cannot be edited. */
export function readable(file: vscode.Uri): vscode.Uri {
  return vscode.workspace.getWorkspaceFolder(file) === undefined ? file.with({ scheme: SCHEME }) : file;
}

/** The file behind a document of an answer; undefined for one that is in no file. */
export function fileOf(uri: vscode.Uri): vscode.Uri | undefined {
  if (uri.scheme === 'file') {
    return uri;
  }
  return uri.scheme === SCHEME && !isLive(uri) ? uri.with({ scheme: 'file' }) : undefined;
}

interface Live {
  page: LivePage;
  readonly created: number;
  changed: number;
}

/**
 * The file system of `lens-answer:`. It shows answers that are coming, and answer files: nothing else of the disk, and
 * nothing in it can be written.
 */
export class AnswerDocuments implements vscode.FileSystemProvider, vscode.DocumentLinkProvider, vscode.Disposable {
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changes.event;
  readonly #live = new Map<string, Live>();
  #count = 0;

  /** @param target - where a passage stands while its question is asked; undefined where nobody knows. */
  constructor(private readonly target: (link: LiveLink, document: vscode.Uri) => vscode.Uri | undefined) {}

  /** A new document for an answer that will come. */
  begin(question: string): vscode.Uri {
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `${ASKING}${this.#count}/${nameOf(question)}.md` });
    const now = Date.now();
    this.#live.set(uri.path, { page: NOTHING, created: now, changed: now });
    for (const oldest of this.#live.keys()) {
      if (this.#live.size <= MOST_LIVE) {
        break;
      }
      this.#live.delete(oldest);
    }
    return uri;
  }

  /** The answer got this far. */
  update(uri: vscode.Uri, page: LivePage): void {
    const live = this.#live.get(uri.path);
    if (live !== undefined) {
      live.page = page;
      live.changed = Math.max(Date.now(), live.changed + 1);
      this.changed(uri);
    }
  }

  /** Something wrote the file of an answer. */
  changed(uri: vscode.Uri): void {
    this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  /** Whether a document of `begin` is still known. */
  knows(uri: vscode.Uri): boolean {
    return this.#live.has(uri.path);
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    const file = fileOf(uri);
    if (file === undefined) {
      return new vscode.Disposable(() => {});
    }
    return watchFile(file, () => this.changed(uri));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const live = this.#liveAt(uri);
    const permissions = vscode.FilePermission.Readonly;
    if (live !== undefined) {
      const size = Buffer.byteLength(live.page.text);
      return { type: vscode.FileType.File, ctime: live.created, mtime: live.changed, size, permissions };
    }
    return { ...(await vscode.workspace.fs.stat(await this.#answer(uri))), permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const live = this.#liveAt(uri);
    return live === undefined ? vscode.workspace.fs.readFile(await this.#answer(uri)) : Buffer.from(live.page.text);
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

  /** Links of an answer that is coming; those of a kept one are the server's. */
  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const links = this.#live.get(document.uri.path)?.page.links ?? [];
    return links.flatMap((link) => {
      const target = this.target(link, document.uri);
      const range = new vscode.Range(link.line, link.from, link.line, link.to);
      return target === undefined ? [] : [new vscode.DocumentLink(range, target)];
    });
  }

  dispose(): void {
    this.#changes.dispose();
    this.#live.clear();
  }

  #liveAt(uri: vscode.Uri): Live | undefined {
    const live = this.#live.get(uri.path);
    if (live === undefined && isLive(uri)) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return live;
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

/** The question as the name of a tab. */
function nameOf(question: string): string {
  const words = question
    .replace(/[^\p{L}\p{M}\p{N}\s_-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.slice(0, LONGEST_NAME).trim() || 'answer';
}
