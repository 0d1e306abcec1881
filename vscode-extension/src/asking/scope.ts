import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Scope } from '../protocol/asking';

/** Where to look, and how that is called. */
export interface NamedScope {
  readonly name: string;
  readonly scope: Scope;
}

const KEY = 'lens.scope';

/** Everything that is open. */
export function wholeWorkspace(): NamedScope {
  return { name: vscode.l10n.t('Whole workspace'), scope: {} };
}

/** Some folders or files, and nothing else. */
export function only(uris: readonly vscode.Uri[]): NamedScope {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const names = uris.map(
    (uri) =>
      folders.find((folder) => folder.uri.toString() === uri.toString())?.name ?? vscode.workspace.asRelativePath(uri),
  );
  return { name: names.join(', '), scope: { folders: uris.map((uri) => uri.toString()) } };
}

/** What is searched unless somebody says otherwise; kept for the workspace. */
export class ChosenScope {
  constructor(private readonly memory: vscode.Memento) {}

  get now(): NamedScope {
    const kept = this.memory.get<NamedScope>(KEY);
    const folders = kept?.scope.folders?.map((uri) => vscode.Uri.parse(uri, true));
    // What was kept may belong to a folder that is gone since.
    const holds = folders?.every((folder) => vscode.workspace.getWorkspaceFolder(folder) !== undefined) ?? true;
    return kept !== undefined && holds ? kept : wholeWorkspace();
  }

  /** Let the user choose. Undefined when nothing was chosen; then nothing changes. */
  async choose(): Promise<NamedScope | undefined> {
    const chosen = await pickScope();
    if (chosen !== undefined) {
      await this.memory.update(KEY, chosen);
    }
    return chosen;
  }
}

interface Row extends vscode.QuickPickItem {
  readonly choose: () => NamedScope | Promise<NamedScope | undefined>;
}

async function pickScope(): Promise<NamedScope | undefined> {
  const picked = await vscode.window.showQuickPick(rows(), {
    title: vscode.l10n.t('Lens: Where to Search'),
    placeHolder: vscode.l10n.t('Where to search'),
  });
  return picked?.choose();
}

function rows(): Row[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const several = folders.length > 1 ? folders : [];
  return [
    { label: wholeWorkspace().name, choose: wholeWorkspace },
    ...several.map((folder) => ({ label: folder.name, choose: () => only([folder.uri]) })),
    ...besideTheEditor(),
    { label: vscode.l10n.t('Choose folders…'), choose: chosenFolders },
    { label: vscode.l10n.t('Another folder…'), choose: anotherFolder },
    { label: vscode.l10n.t('Files that match a pattern…'), choose: matching },
  ];
}

function besideTheEditor(): Row[] {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file' || vscode.workspace.getWorkspaceFolder(uri) === undefined) {
    return [];
  }
  const folder = vscode.Uri.file(path.dirname(uri.fsPath));
  return [
    {
      label: vscode.l10n.t('This file'),
      description: vscode.workspace.asRelativePath(uri),
      choose: () => only([uri]),
    },
    {
      label: vscode.l10n.t('The folder of this file'),
      description: vscode.workspace.asRelativePath(folder),
      choose: () => only([folder]),
    },
  ];
}

/** One or several of the folders that lie at the top, or one level below. */
async function chosenFolders(): Promise<NamedScope | undefined> {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const top = (await Promise.all(roots.map(foldersIn))).flat();
  const below = (await Promise.all(top.map(foldersIn))).flat();
  const names = new Map([...top, ...below].map((uri) => [vscode.workspace.asRelativePath(uri), uri]));
  if (names.size === 0) {
    return anotherFolder();
  }
  const picked = await vscode.window.showQuickPick([...names.keys()].sort(), {
    canPickMany: true,
    title: vscode.l10n.t('Lens: Where to Search'),
    placeHolder: vscode.l10n.t('Tick the folders to search'),
  });
  const uris = picked?.flatMap((name) => names.get(name) ?? []) ?? [];
  return uris.length === 0 ? undefined : only(uris);
}

/** The folders in a folder but the hidden ones; none of one that cannot be read. */
async function foldersIn(folder: vscode.Uri): Promise<vscode.Uri[]> {
  const all = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
  return all
    .filter(([name, type]) => type === vscode.FileType.Directory && !name.startsWith('.') && name !== 'node_modules')
    .map(([name]) => vscode.Uri.joinPath(folder, name));
}

async function anotherFolder(): Promise<NamedScope | undefined> {
  const start = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uris = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: true,
    openLabel: vscode.l10n.t('Search Here'),
    ...(start !== undefined && { defaultUri: start }),
  });
  return uris === undefined || uris.length === 0 ? undefined : only(uris);
}

async function matching(): Promise<NamedScope | undefined> {
  const glob = await vscode.window.showInputBox({
    prompt: vscode.l10n.t('Only files that match, for example 2024/**/*.md'),
  });
  const pattern = glob?.trim();
  return pattern ? { name: pattern, scope: { globs: [pattern] } } : undefined;
}
