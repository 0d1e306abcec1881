/** How the server for agents is started: as the language server is, by the same program and under the same rules. */

import type { Launch } from '../server/launch';

/** The arguments of both servers end in what is started. */
const LANGUAGE_SERVER = 'serve';
const AGENTS = 'mcp';
const KEY = 'LENS_API_KEY';

/** A process that an editor starts for agents; null takes a variable away. */
export interface AgentLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd: string;
}

/**
 * The process for agents beside that of the language server. It searches within these folders, whatever roots the editor
 * names. What is not as in the `inherited` environment is said; the key only where `secret`, since an editor may keep
 * what it is told before it starts anything.
 */
export function agentLaunch(
  launch: Launch,
  folders: readonly string[],
  inherited: Readonly<Record<string, string | undefined>>,
  secret: boolean,
): AgentLaunch {
  const { cwd, env } = launch.options;
  const args = launch.args.map((each, at) =>
    at === launch.args.length - 1 && each === LANGUAGE_SERVER ? AGENTS : each,
  );
  const said: Record<string, string | null> = {};
  for (const name of new Set([...Object.keys(inherited), ...Object.keys(env)])) {
    const value = env[name] ?? null;
    if (value !== (inherited[name] ?? null) && (secret || name !== KEY)) {
      said[name] = value;
    }
  }
  return { command: launch.command, args: [...args, '--', ...folders], env: said, cwd };
}
