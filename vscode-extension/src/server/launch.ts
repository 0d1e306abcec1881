/** How the server's process is started: what it gets to see of ours. */

import type { Resolution } from './resolve';

/** A process to start; as `child_process.spawn` takes it. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
}

/** Where questions may be sent to, as the user set it. */
export interface Endpoint {
  /** Empty where the editor's own models are meant: there is no address then, and none of the machine's counts. */
  readonly baseUrl: string;
  readonly name: string;
  /** The key that was kept for the origin of `baseUrl`. */
  readonly key: string | undefined;
}

/** Who is started, and with what. */
export interface Start {
  readonly resolution: Resolution;
  /** The extension's own folder: a neutral place to start in. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly trusted: boolean;
  /** Undefined where the settings name no address; the machine's own variables hold then. */
  readonly endpoint: Endpoint | undefined;
}

/** What changes which code a Python runs. */
const PYTHONS = /^(?:PYTHON|VIRTUAL_ENV$|CONDA_|__PYVENV_LAUNCHER__$)/i;
const MODEL = ['LENS_BASE_URL', 'LENS_MODEL', 'LENS_API_KEY', 'LENS_CONTEXT_TOKENS'];

/**
 * The process for a resolution. The key stands in its environment, bound to the one base URL beside it, and nowhere
 * else: it is in no message, no argument and no log.
 */
export function launchOf(start: Start): Launch {
  const env = neutral(start.environment);
  if (start.endpoint || !start.trusted) {
    for (const name of MODEL) {
      delete env[name];
    }
  }
  if (start.endpoint?.baseUrl && start.trusted) {
    env.LENS_BASE_URL = start.endpoint.baseUrl;
    env.LENS_MODEL = start.endpoint.name;
    if (start.endpoint.key) {
      env.LENS_API_KEY = start.endpoint.key;
    }
  }
  const { command, args } = start.resolution;
  return { command, args, options: { cwd: start.cwd, env } };
}

/** An environment without what changes which Python code is run. */
export function neutral(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !PYTHONS.test(name)) {
      kept[name] = value;
    }
  }
  return kept;
}
