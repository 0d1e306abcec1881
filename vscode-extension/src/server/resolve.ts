/** What to run as the server: decided by settings and the machine, never by the workspace. */

import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';

/** A way to run the server; two equal ones need no restart. */
export interface Resolution {
  readonly source: 'path' | 'interpreter' | 'environment' | 'private' | 'bundled';
  /** Absolute. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Who asks, and for what. */
export interface Asked {
  /** `lens.path` and `lens.interpreter` as the user set them; empty for none. */
  readonly path: string;
  readonly interpreter: string;
  /** `PATH` of the machine. */
  readonly searched: string;
  /** Absolute paths of the workspace folders: nothing below them is run unless the user names it. */
  readonly workspaces: readonly string[];
  /** The Python of the private environment, where there is one that is whole. */
  readonly privateInterpreter: string | undefined;
  /** The program that a build of this extension for one platform brings; it may not be there. */
  readonly bundledProgram: string;
}

/** What can be run, the best first, and the settings that name what cannot. */
export interface Ways {
  readonly found: readonly Resolution[];
  readonly unusable: readonly Unusable[];
}

/** A setting that names what cannot be run. `message` says which and why. */
export class Unusable extends Error {
  constructor(
    readonly setting: 'lens.path' | 'lens.interpreter',
    readonly file: string,
  ) {
    super(`${setting}: ${file}`);
    this.name = 'Unusable';
  }
}

/** The server's arguments of a Python: `-I` keeps it from the user's site, the working directory and `PYTHON*`. */
export const MODULE = ['-I', '-m', 'lens_lsp', 'serve'] as const;

/**
 * The configured program, then the configured interpreter, then `lens` of the machine, then the private environment, then
 * what the extension itself brings. A setting that names nothing to run keeps nobody from an answer: the next one is run.
 */
export async function resolve(asked: Asked): Promise<Ways> {
  const found: Resolution[] = [];
  const unusable: Unusable[] = [];
  const configured = async (setting: Unusable['setting'], command: string, way: Resolution): Promise<void> => {
    if (command !== '' && path.isAbsolute(command) && (await runnable(command))) {
      found.push(way);
    } else if (command !== '') {
      unusable.push(new Unusable(setting, command));
    }
  };
  await configured('lens.path', asked.path, { source: 'path', command: asked.path, args: ['serve'] });
  const interpreter = asked.interpreter;
  await configured('lens.interpreter', interpreter, { source: 'interpreter', command: interpreter, args: MODULE });
  const [command] = await onPath(['lens'], asked.searched, asked.workspaces);
  if (command !== undefined) {
    found.push({ source: 'environment', command, args: ['serve'] });
  }
  if (asked.privateInterpreter !== undefined) {
    found.push({ source: 'private', command: asked.privateInterpreter, args: MODULE });
  }
  if (await runnable(asked.bundledProgram)) {
    found.push({ source: 'bundled', command: asked.bundledProgram, args: MODULE });
  }
  return { found, unusable };
}

/** Programs of these names on a search path: in absolute folders outside the workspaces, in the order they stand. */
export async function onPath(
  names: readonly string[],
  searched: string,
  workspaces: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of new Set(searched.split(path.delimiter))) {
    if (!path.isAbsolute(folder) || workspaces.some((workspace) => within(folder, workspace))) {
      continue;
    }
    for (const name of names) {
      for (const ending of process.platform === 'win32' ? ['.exe'] : ['']) {
        const file = path.join(folder, name + ending);
        if (!found.includes(file) && (await runnable(file))) {
          found.push(file);
        }
      }
    }
  }
  return found;
}

/** Whether a path is a folder or below it. */
export function within(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (!way.startsWith(`..${path.sep}`) && way !== '..' && !path.isAbsolute(way));
}

async function runnable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
