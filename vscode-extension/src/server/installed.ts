/** Where something was installed, kept beside the extension: when it is uninstalled, no editor runs that could say it. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeEnvironments } from './privateEnvironment';

const LIST = 'installed.json';
const MOST = 20;
/** What our folder in the editor's storage is called. */
const OURS = /^lens-lsp\.lens$/i;

/** Keeps the folder for the day on which the extension is uninstalled. */
export async function remember(extension: string, storage: string): Promise<void> {
  const known = await installed(extension);
  if (!known.includes(storage)) {
    await writeFile(path.join(extension, LIST), JSON.stringify([...known, storage].slice(-MOST)));
  }
}

/** Removes what was installed by the extension in this folder; the bytes that it took. */
export async function removeInstalled(extension: string): Promise<number> {
  let bytes = 0;
  for (const storage of await installed(extension)) {
    bytes += await removeEnvironments(storage);
  }
  return bytes;
}

async function installed(extension: string): Promise<readonly string[]> {
  try {
    const said: unknown = JSON.parse(await readFile(path.join(extension, LIST), 'utf8'));
    return Array.isArray(said) ? said.filter(isOurs) : [];
  } catch {
    return [];
  }
}

/** Nothing but `…/lens-lsp.lens/server` is ever removed, whatever the list says. */
function isOurs(storage: unknown): storage is string {
  return (
    typeof storage === 'string' &&
    path.isAbsolute(storage) &&
    path.basename(storage) === 'server' &&
    OURS.test(path.basename(path.dirname(storage)))
  );
}
