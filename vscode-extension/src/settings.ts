/**
 * The editor's settings as the server may have them.
 *
 * The editor lets a workspace replace what the user set. For limits that is too much: here a workspace only lowers what
 * a question may cost and only leaves more out, and what names a host, a program or a place on disk is the user's alone.
 */

/** One setting, by who says it. As `vscode.WorkspaceConfiguration.inspect` tells it. */
export interface Said {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Looks up what is said of a setting; its name is without `lens.`. */
export type Inspect = (name: string) => Said | undefined;

/** What the server takes from the editor, and how several who say it come to one. */
const RULES: Readonly<Record<string, (said: Said) => unknown>> = {
  'model.baseUrl': users,
  'model.name': users,
  'model.contextTokens': users,
  'model.callSeconds': users,
  'model.prices': users,
  extraRoots: users,
  cacheMegabytes: users,
  'documents.ocr': users,
  mode: mostCareful,
  'budget.calls': lowest,
  'budget.tokens': users,
  'budget.seconds': users,
  'budget.cost': lowest,
  exclude: all,
  respectIgnoreFiles: narrowest,
  'diagnostics.notes': narrowest,
  answersFolder: narrowest,
};

/** Limits that the user may set above the default: what a workspace says of them stands apart, and only lowers. */
const RAISED = ['budget.tokens', 'budget.seconds'] as const;

/** Names of the settings that decide what the server's process is: another value means another process. */
export const PROCESS_SETTINGS = ['path', 'interpreter', 'model.baseUrl', 'model.name'] as const;

/** Names of the settings that the server asks for. */
export const SERVER_SETTINGS: readonly string[] = Object.keys(RULES);

/**
 * What the server is told when it asks. In an untrusted window no workspace is listened to, no model is named and
 * nothing but evidence is asked for.
 */
export function serverSettings(inspect: Inspect, trusted: boolean): Readonly<Record<string, unknown>> {
  const told: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(RULES)) {
    if (!trusted && name.startsWith('model.')) {
      continue;
    }
    const said = inspect(name) ?? {};
    const value = rule(trusted || name === 'exclude' ? said : { globalValue: said.globalValue });
    if (value !== undefined && value !== null && value !== '') {
      told[name] = value;
    }
  }
  for (const name of trusted ? RAISED : []) {
    const value = lowest({ ...inspect(name), globalValue: undefined });
    if (value !== undefined) {
      told[`workspace.${name}`] = value;
    }
  }
  if (!trusted) {
    told.mode = 'evidence';
  }
  return told;
}

/** The user's own value of a text setting, in whatever workspace; empty where there is none. */
export function userText(inspect: Inspect, name: string): string {
  const value = users(inspect(name) ?? {});
  return typeof value === 'string' ? value.trim() : '';
}

function users(said: Said): unknown {
  return said.globalValue;
}

function narrowest(said: Said): unknown {
  return said.workspaceFolderValue ?? said.workspaceValue ?? said.globalValue;
}

function everybody(said: Said): unknown[] {
  return [said.globalValue, said.workspaceValue, said.workspaceFolderValue].filter(
    (value) => value !== undefined && value !== null,
  );
}

/** The lowest limit. Whatever is no number is told as it is: the server says what is wrong, and sends nothing. */
function lowest(said: Said): unknown {
  const values = everybody(said);
  const wrong = values.find((value) => typeof value !== 'number');
  return wrong ?? (values.length > 0 ? Math.min(...(values as number[])) : undefined);
}

function all(said: Said): unknown {
  const values = everybody(said);
  const wrong = values.find((value) => !Array.isArray(value));
  return wrong ?? (values.length > 0 ? [...new Set(values.flat())] : undefined);
}

const CAREFUL: readonly unknown[] = ['evidence', 'fast', 'auto', 'deep'];

/**
 * The mode that sends least; `auto` is at most `fast`, and stands for itself beside `deep`. A workspace only lowers: it
 * cannot ask for a model where the user does not, who may have none.
 */
function mostCareful(said: Said): unknown {
  const values = everybody(said);
  const wrong = values.find((value) => !CAREFUL.includes(value));
  const least = wrong ?? CAREFUL.find((mode) => values.includes(mode));
  if (least === 'deep') {
    return said.globalValue;
  }
  return least === 'fast' && (said.globalValue ?? 'auto') === 'auto' ? 'auto' : least;
}
