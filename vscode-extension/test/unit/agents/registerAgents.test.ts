import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standIn } from '../chat/standIn';

const editor = standIn();

interface Definition {
  readonly label: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | null>>;
}
interface Provider {
  readonly onDidChangeMcpServerDefinitions: (hear: () => void) => void;
  provideMcpServerDefinitions(): Promise<readonly Definition[]>;
  resolveMcpServerDefinition(definition: object): Promise<Definition | undefined>;
}

class Emitter {
  #hear: () => void = () => {};
  readonly event = (hear: () => void): void => {
    this.#hear = hear;
  };
  fire(): void {
    this.#hear();
  }
}

class Stdio {
  constructor(
    readonly label: string,
    readonly command: string,
    readonly args: string[],
    readonly env: Record<string, string | null>,
    readonly version: string,
  ) {}
}

const LAUNCH = {
  command: '/p',
  args: ['-I', '-m', 'lens_lsp', 'serve'],
  options: { cwd: '/x', env: { LENS_API_KEY: 'k' } },
};
const CONTEXT = { extension: { packageJSON: { version: '1.2.3' } } };

async function registered(more: { launch?: object | undefined; folders?: readonly string[]; trusted?: boolean }) {
  let provider: Provider | undefined;
  let tell: () => void = () => {};
  const quiet = (): object => ({});
  const folders = (more.folders ?? ['/notes']).map((fsPath) => ({ uri: { scheme: 'file', fsPath } }));
  Object.assign(editor, { EventEmitter: Emitter, McpStdioServerDefinition: Stdio });
  Object.assign(editor.Uri, { file: (path: string) => ({ path }) });
  Object.assign(editor.workspace, {
    isTrusted: more.trusted ?? true,
    workspaceFolders: folders,
    onDidChangeWorkspaceFolders: quiet,
    onDidGrantWorkspaceTrust: quiet,
  });
  editor.lm = {
    registerMcpServerDefinitionProvider: (id: string, given: Provider) => {
      assert.equal(id, 'lens.agents');
      provider = given;
    },
  };
  const { registerAgents } = await import('../../../src/agents/register');
  const lens = { onDidChangeState: (hear: () => void) => (tell = hear) };
  const launch = 'launch' in more ? more.launch : LAUNCH;
  registerAgents(CONTEXT as never, lens as never, { quietly: async () => launch as never });
  assert.ok(provider);
  return { provider, tell };
}

test('the server of this window is offered, and its key only when it is started', async () => {
  const { provider } = await registered({});
  const [offered] = await provider.provideMcpServerDefinitions();
  assert.ok(offered);
  assert.deepEqual([offered.label, ...offered.args.slice(3)], ['Lens', 'mcp', '--', '/notes']);
  assert.ok(!('LENS_API_KEY' in offered.env));
  assert.equal((await provider.resolveMcpServerDefinition(offered))?.env.LENS_API_KEY, 'k');
});

test('none is offered without trust, without a folder, before the set-up', async () => {
  for (const more of [{ trusted: false }, { folders: [] }, { launch: undefined }]) {
    const { provider } = await registered(more);
    assert.deepEqual(await provider.provideMcpServerDefinitions(), []);
    assert.equal(await provider.resolveMcpServerDefinition({}), undefined);
  }
});

test('when our own server starts, the editor asks again', async () => {
  const { provider, tell } = await registered({});
  let heard = 0;
  provider.onDidChangeMcpServerDefinitions(() => {
    heard += 1;
  });
  tell();
  assert.equal(heard, 1);
});

test('an editor that knows no such servers gets none', async () => {
  const { registerAgents } = await import('../../../src/agents/register');
  for (const lm of [undefined, {}]) {
    editor.lm = lm;
    assert.ok(registerAgents(CONTEXT as never, {} as never, { quietly: async () => undefined }));
  }
});
