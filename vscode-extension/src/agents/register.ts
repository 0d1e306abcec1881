/** The editor's agents get the same server as any agent does, `lens mcp`, from the Python that runs ours. */

import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { Launch } from '../server/launch';
import { agentLaunch } from './launch';

/** Who can say how a server would be started now; undefined where that takes a question to the user. */
export interface Starting {
  quietly(): Promise<Launch | undefined>;
}

/** Of `vscode.lm` since 1.101; the types are of an earlier one, as the oldest editor that we run in is. */
interface McpServers {
  registerMcpServerDefinitionProvider?(id: string, provider: McpProvider): vscode.Disposable;
}

interface McpProvider {
  readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): Promise<McpDefinition[]>;
  resolveMcpServerDefinition(definition: McpDefinition): Promise<McpDefinition | undefined>;
}

interface McpDefinition {
  env: Record<string, string | number | null>;
  cwd?: vscode.Uri;
}

type McpDefinitionClass = new (
  label: string,
  command: string,
  args: string[],
  env: Record<string, string | null>,
  version: string,
) => McpDefinition;

/**
 * Registers the server for agents; nothing where the editor knows no such servers. None is offered in a workspace that is
 * not trusted, without a folder, or before our own server was set up: agents set up nothing.
 */
export function registerAgents(
  context: vscode.ExtensionContext,
  lens: Pick<LensClient, 'onDidChangeState'>,
  starting: Starting,
): vscode.Disposable {
  const models = vscode.lm as McpServers | undefined;
  const { McpStdioServerDefinition } = vscode as { McpStdioServerDefinition?: McpDefinitionClass };
  if (models?.registerMcpServerDefinitionProvider === undefined || McpStdioServerDefinition === undefined) {
    return new vscode.Disposable(() => {});
  }
  const { version } = context.extension.packageJSON as { version: string };
  const changed = new vscode.EventEmitter<void>();
  const definition = async (secret: boolean): Promise<McpDefinition | undefined> => {
    const folders = foldersOf();
    const launch = vscode.workspace.isTrusted && folders.length > 0 ? await starting.quietly() : undefined;
    if (launch === undefined) {
      return undefined;
    }
    const { command, args, env, cwd } = agentLaunch(launch, folders, process.env, secret);
    const made = new McpStdioServerDefinition('Lens', command, [...args], env, version);
    made.cwd = vscode.Uri.file(cwd);
    return made;
  };
  const again = (): void => changed.fire();
  return vscode.Disposable.from(
    changed,
    vscode.workspace.onDidChangeWorkspaceFolders(again),
    vscode.workspace.onDidGrantWorkspaceTrust(again),
    lens.onDidChangeState(again),
    models.registerMcpServerDefinitionProvider('lens.agents', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: async () => {
        const made = await definition(false);
        return made === undefined ? [] : [made];
      },
      resolveMcpServerDefinition: () => definition(true),
    }),
  );
}

function foldersOf(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}
