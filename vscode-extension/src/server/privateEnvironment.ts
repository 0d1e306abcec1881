/**
 * A Python environment of our own: made once, from the wheel in this extension and pinned, hashed dependencies.
 *
 * It knows nothing of the editor, so that it can be tried without one.
 */

import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { neutral } from './launch';

/** How many packages an environment is made of, at most. */
export async function packagesOf(places: Places): Promise<number> {
  const requirements = await readFile(path.join(places.bundle, REQUIREMENTS), 'utf8');
  return requirements.split('\n').filter((line) => /^[\w.]/.test(line) && !line.includes('emscripten')).length;
}

/** Where things are. */
export interface Places {
  /** The editor's folder for what belongs to this extension. */
  readonly storage: string;
  /** Of this extension: the wheel, `requirements.txt` and `optional.txt`. */
  readonly bundle: string;
}

/** A Python that can make environments. */
export interface Python {
  readonly executable: string;
  /** Major and minor. */
  readonly version: readonly [number, number];
}

/** How the work is followed and ended. */
export interface Work {
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As the editor is set; empty for none. */
  readonly proxy: string;
  /** Told each line that a program prints. */
  report(line: string): void;
}

/** A step that failed: what was run, and the end of what it said. */
export class StepFailed extends Error {
  constructor(
    step: string,
    readonly output: string,
  ) {
    super(step);
    this.name = 'StepFailed';
  }
}

const REQUIREMENTS = 'requirements.txt';
/** What the server does without, equally but slower, where there is no wheel of it. */
const OPTIONAL = 'optional.txt';
const CURRENT = 'current.json';
const ABANDONED_AFTER = 3_600_000;
const LONGEST_OUTPUT = 20_000;

/** The interpreter of the environment for what this extension brings; undefined where none was finished. */
export async function privateInterpreter(places: Places): Promise<string | undefined> {
  try {
    const said: unknown = JSON.parse(await readFile(path.join(places.storage, CURRENT), 'utf8'));
    const { id, folder } = said as { id?: unknown; folder?: unknown };
    if (id !== (await idOf(places)) || typeof folder !== 'string' || path.basename(folder) !== folder) {
      return undefined;
    }
    const interpreter = interpreterOf(path.join(places.storage, folder));
    return (await stat(interpreter)).isFile() ? interpreter : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Make the environment; its interpreter. Nothing counts before the last step, which names the new folder as the current
 * one: what a crash or a cancel leaves behind is never used, and is removed when the next one is made.
 *
 * Rejects with `StepFailed`, and with the signal's reason when it is cancelled.
 */
export async function makeEnvironment(places: Places, python: Python, work: Work): Promise<string> {
  await mkdir(places.storage, { recursive: true });
  await removeOthers(places.storage, undefined);
  const id = await idOf(places);
  const name = `python-${id}-${randomBytes(4).toString('hex')}`;
  const folder = path.join(places.storage, name);
  const interpreter = interpreterOf(folder);
  const run = (step: string, command: string, args: readonly string[]): Promise<string> =>
    output(step, command, ['-I', ...args], places.bundle, work);
  try {
    await run('venv', python.executable, ['-m', 'venv', folder]);
    const install = (list: string): Promise<string> =>
      run('pip', interpreter, ['-m', 'pip', 'install', ...PIP, ...proxyOf(work), '-r', list]);
    await install(REQUIREMENTS);
    await install(OPTIONAL).catch(unlessFailed);
    work.report(await run('lens', interpreter, ['-m', 'lens_lsp', '--version']));
    work.signal.throwIfAborted();
    const next = path.join(places.storage, `${CURRENT}.${name}`);
    await writeFile(next, JSON.stringify({ id, folder: name }));
    await rename(next, path.join(places.storage, CURRENT));
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
  await removeOthers(places.storage, name);
  return interpreter;
}

/** Go on where a step failed; not where the work is cancelled. */
function unlessFailed(error: unknown): void {
  if (!(error instanceof StepFailed)) {
    throw error;
  }
}

/** Only what is listed, only wheels, only with the hashes that stand beside them. */
const PIP = [
  '--disable-pip-version-check',
  '--no-input',
  '--no-deps',
  '--only-binary',
  ':all:',
  '--require-hashes',
  '--progress-bar',
  'off',
  // Python compiles what it imports; most of what is installed never is.
  '--no-compile',
] as const;

function proxyOf(work: Work): readonly string[] {
  return work.proxy ? ['--proxy', work.proxy] : [];
}

/** The interpreter of an environment. */
export function interpreterOf(folder: string): string {
  return process.platform === 'win32' ? path.join(folder, 'Scripts', 'python.exe') : path.join(folder, 'bin', 'python');
}

/** What tells the environment of one version of this extension from that of another: all that goes into it. */
async function idOf(places: Places): Promise<string> {
  // The wheel's hash stands in the requirements.
  const requirements = await readFile(path.join(places.bundle, REQUIREMENTS));
  return createHash('sha256').update(requirements).digest('hex').slice(0, 16);
}

/** Remove what earlier versions and failed attempts left; what is fresh may be another window's work. */
async function removeOthers(storage: string, keep: string | undefined): Promise<void> {
  const current = keep ?? (await currentFolder(storage));
  for (const name of await readdir(storage)) {
    const folder = path.join(storage, name);
    if (name === CURRENT || name === current || !/^(?:python-|current\.json\.)/.test(name)) {
      continue;
    }
    if (Date.now() - (await stat(folder)).mtimeMs > ABANDONED_AFTER) {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

async function currentFolder(storage: string): Promise<string | undefined> {
  try {
    const said = JSON.parse(await readFile(path.join(storage, CURRENT), 'utf8')) as { folder?: string };
    return said.folder;
  } catch {
    return undefined;
  }
}

/** What a program prints on both channels. Rejects with `StepFailed`, and with the signal's reason. */
export function output(
  step: string,
  command: string,
  args: readonly string[],
  cwd: string,
  work: Work,
): Promise<string> {
  work.signal.throwIfAborted();
  const options: SpawnOptions = {
    cwd,
    env: neutral(work.environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    signal: work.signal,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    let said = '';
    const hear = (chunk: Buffer): void => {
      const text = chunk.toString('utf8');
      said = (said + text).slice(-LONGEST_OUTPUT);
      for (const line of text.split(/\r?\n/).filter((each) => each.trim() !== '')) {
        work.report(line);
      }
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.on('error', (error) => {
      reject(work.signal.aborted ? work.signal.reason : new StepFailed(step, error.message));
    });
    child.on('close', (status) => {
      if (work.signal.aborted) {
        reject(work.signal.reason);
      } else if (status === 0) {
        resolve(said.trim());
      } else {
        reject(new StepFailed(step, said.trim()));
      }
    });
  });
}
