/**
 * A Python environment of our own: made once, from the wheel in this extension and pinned, hashed dependencies.
 *
 * It knows nothing of the editor, so that it can be tried without one.
 */

import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { neutral } from './launch';

/** How many packages of a list are installed, at most. */
export async function packagesOf(places: Places, list: string = REQUIREMENTS): Promise<number> {
  const requirements = await readFile(path.join(places.bundle, list), 'utf8');
  return requirements.split('\n').filter((line) => /^[\w.]/.test(line) && !line.includes('emscripten')).length;
}

/** Where things are. */
export interface Places {
  /** The editor's folder for what belongs to this extension. */
  readonly storage: string;
  /** Of this extension: the wheel, and the lists of packages with the sizes of these. */
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
/** What only the server for agents needs: not for every machine are there wheels of all of it. */
const AGENTS = 'agents.txt';
/** What reads documents that are no text: installed where somebody wants them read. */
export const DOCUMENTS = 'documents.txt';
const CURRENT = 'current.json';
/** Names of environments, and of what is written before it becomes the current one. */
const OURS = /^(?:python-|current\.json\.)/;
const ABANDONED_AFTER = 3_600_000;
const LONGEST_OUTPUT = 20_000;

/** An environment that is whole. */
export interface Environment {
  readonly interpreter: string;
  /** Whether it has what reads documents. */
  readonly documents: boolean;
}

/** What is kept of the environment. */
interface Current {
  readonly id?: unknown;
  readonly folder?: unknown;
  readonly documents?: unknown;
}

/** The environment for what this extension brings; undefined where none was finished. */
export async function privateEnvironment(places: Places): Promise<Environment | undefined> {
  try {
    const { id, folder, documents } = await currentOf(places.storage);
    if (id !== (await idOf(places)) || typeof folder !== 'string' || path.basename(folder) !== folder) {
      return undefined;
    }
    const interpreter = interpreterOf(path.join(places.storage, folder));
    return (await stat(interpreter)).isFile() ? { interpreter, documents: documents === true } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the last environment, be it that of an earlier version, had what reads documents. */
export async function hadDocuments(places: Places): Promise<boolean> {
  return (await currentOf(places.storage)).documents === true;
}

/**
 * Make the environment; its interpreter. Nothing counts before the last step, which names the new folder as the current
 * one: what a crash or a cancel leaves behind is never used, and is removed when the next one is made.
 *
 * Rejects with `StepFailed`, and with the signal's reason when it is cancelled.
 */
export async function makeEnvironment(places: Places, python: Python, work: Work, documents = false): Promise<string> {
  await mkdir(places.storage, { recursive: true });
  await removeOthers(places.storage, undefined);
  const id = await idOf(places);
  const name = `python-${id}-${randomBytes(4).toString('hex')}`;
  const folder = path.join(places.storage, name);
  const interpreter = interpreterOf(folder);
  try {
    await run('venv', python.executable, ['-m', 'venv', folder], places, work);
    await install(interpreter, REQUIREMENTS, places, work);
    for (const list of [OPTIONAL, AGENTS]) {
      await install(interpreter, list, places, work).catch(unlessFailed);
    }
    if (documents) {
      await install(interpreter, DOCUMENTS, places, work);
    }
    work.report(await run('lens', interpreter, ['-m', 'lens_lsp', '--version'], places, work));
    work.signal.throwIfAborted();
    await keep(places.storage, { id, folder: name, documents });
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
  await removeOthers(places.storage, name);
  return interpreter;
}

/** Adds what reads documents to the environment that is there. Rejects as `makeEnvironment`. */
export async function addDocuments(places: Places, work: Work): Promise<void> {
  const environment = await privateEnvironment(places);
  if (environment === undefined) {
    throw new StepFailed('venv', 'there is no environment');
  }
  await install(environment.interpreter, DOCUMENTS, places, work);
  await keep(places.storage, { ...(await currentOf(places.storage)), documents: true });
}

/** Removes every environment that was made here; the bytes that they took. */
export async function removeEnvironments(storage: string): Promise<number> {
  const ours = (await readdir(storage).catch(() => [])).filter((name) => name === CURRENT || OURS.test(name));
  let bytes = 0;
  for (const name of ours.sort()) {
    // What names the current one goes first: half an environment is never used.
    bytes += await bytesOf(path.join(storage, name));
    await rm(path.join(storage, name), { recursive: true, force: true, maxRetries: 3 });
  }
  await rmdir(storage).catch(() => undefined); // somebody else's file keeps it
  return bytes;
}

/** The bytes of a file, or of all files below a folder; links count as nothing. */
export async function bytesOf(place: string): Promise<number> {
  const about = await lstat(place).catch(() => undefined);
  if (about?.isDirectory()) {
    const inside = await readdir(place);
    let bytes = 0;
    for (const name of inside) {
      bytes += await bytesOf(path.join(place, name));
    }
    return bytes;
  }
  return about?.isFile() ? about.size : 0;
}

function run(step: string, command: string, args: readonly string[], places: Places, work: Work): Promise<string> {
  return output(step, command, ['-I', ...args], places.bundle, work);
}

function install(interpreter: string, list: string, places: Places, work: Work): Promise<string> {
  return run('pip', interpreter, ['-m', 'pip', 'install', ...PIP, ...proxyOf(work), '-r', list], places, work);
}

async function keep(storage: string, current: Current): Promise<void> {
  const next = path.join(storage, `${CURRENT}.${randomBytes(4).toString('hex')}`);
  await writeFile(next, JSON.stringify(current));
  await rename(next, path.join(storage, CURRENT));
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
  const current = keep ?? (await currentOf(storage)).folder;
  for (const name of await readdir(storage)) {
    const folder = path.join(storage, name);
    if (name === CURRENT || name === current || !OURS.test(name)) {
      continue;
    }
    if (Date.now() - (await stat(folder)).mtimeMs > ABANDONED_AFTER) {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

async function currentOf(storage: string): Promise<Current> {
  try {
    return JSON.parse(await readFile(path.join(storage, CURRENT), 'utf8')) as Current;
  } catch {
    return {};
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
