/** Which Python can make an environment: looked for on the machine, never in the workspace. */

import { homedir } from 'node:os';
import path from 'node:path';
import { output, type Python, type Work } from './privateEnvironment';
import { onPath } from './resolve';

/** The oldest that runs the server. */
export const OLDEST: readonly [number, number] = [3, 11];
/** The newest that all dependencies have wheels for. */
const NEWEST: readonly [number, number] = [3, 14];

const PROBE_MILLISECONDS = 15_000;
const PROBE = 'import sys, json, venv, ensurepip; print(json.dumps([sys.executable, *sys.version_info[:2]]))';

/** What looking for a Python came to. */
export interface Pythons {
  /** The best one; undefined where none will do. */
  readonly best: Python | undefined;
  /** Whether one would have done but lacks the module that makes environments, as Debian ships it. */
  readonly withoutVenv: boolean;
}

/**
 * Look for Pythons on the search path, and in further places, which are where installers put them. `cwd` is a neutral
 * folder.
 */
export async function findPythons(
  searched: string,
  workspaces: readonly string[],
  cwd: string,
  work: Work,
  further: readonly string[] = usualPlaces(),
): Promise<Pythons> {
  const everywhere = [searched, ...further].join(path.delimiter);
  const names = process.platform === 'win32' ? ['python', 'python3'] : namesOf();
  const found: Python[] = [];
  let withoutVenv = false;
  for (const file of await onPath(names, everywhere, workspaces)) {
    work.signal.throwIfAborted();
    const python = await probed(file, cwd, work);
    if (python === 'no venv') {
      withoutVenv = true;
    } else if (python) {
      found.push(python);
    }
  }
  return { best: found.sort((a, b) => rank(b) - rank(a))[0], withoutVenv };
}

function namesOf(): string[] {
  const names = ['python3', 'python'];
  for (let minor = NEWEST[1]; minor >= OLDEST[1]; minor--) {
    names.push(`python3.${minor}`);
  }
  return names;
}

function usualPlaces(): string[] {
  if (process.platform === 'win32') {
    const programs = path.join(homedir(), 'AppData', 'Local', 'Programs', 'Python');
    const versions = ['314', '313', '312', '311'];
    return versions.flatMap((each) => [path.join(programs, `Python${each}`), `C:\\Program Files\\Python${each}`]);
  }
  return ['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', path.join(homedir(), '.local', 'bin')];
}

/** Of those that will do, the newest that all dependencies have wheels for; then those beyond. */
function rank(python: Python): number {
  const minor = python.version[1];
  return minor <= NEWEST[1] ? minor : -minor;
}

async function probed(file: string, cwd: string, work: Work): Promise<Python | 'no venv' | undefined> {
  const signal = AbortSignal.any([work.signal, AbortSignal.timeout(PROBE_MILLISECONDS)]);
  const quiet: Work = { ...work, signal, report: () => {} };
  try {
    return await asked(file, PROBE, cwd, quiet);
  } catch {
    // Not a Python that can; it may be one that could, had it all its modules.
  }
  try {
    const plain = await asked(file, PROBE.replace(', venv, ensurepip', ''), cwd, quiet);
    return plain && 'no venv';
  } catch {
    return undefined;
  }
}

/** What a Python says of itself; undefined for one that is too old. */
async function asked(file: string, question: string, cwd: string, work: Work): Promise<Python | undefined> {
  const said = await output('probe', file, ['-I', '-c', question], cwd, work);
  const [executable, major, minor] = JSON.parse(said.split(/\r?\n/).at(-1) ?? '') as [string, number, number];
  const fits = major === OLDEST[0] && minor >= OLDEST[1] && path.isAbsolute(executable);
  return fits ? { executable, version: [major, minor] } : undefined;
}
