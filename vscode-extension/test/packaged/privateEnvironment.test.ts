/** The private environment as the packaged .vsix makes it: real pip, real wheels, a server that answers. */

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type AgentLaunch, agentLaunch } from '../../src/agents/launch';
import { remember } from '../../src/server/installed';
import { launchOf } from '../../src/server/launch';
import {
  addDocuments,
  bytesOf,
  hadDocuments,
  makeEnvironment,
  type Places,
  privateEnvironment,
  StepFailed,
} from '../../src/server/privateEnvironment';
import { findPythons } from '../../src/server/pythons';
import { MODULE } from '../../src/server/resolve';
import { megabytes, sizesOf } from '../../src/server/sizes';

const root = mkdtempSync(path.join(tmpdir(), 'lens-packaged-'));
const extension = path.join(root, 'extension');
const places: Places = { storage: path.join(root, 'lens-lsp.lens', 'server'), bundle: path.join(extension, 'bundled') };

function work(signal: AbortSignal, report: (line: string) => void = () => {}) {
  return { signal, environment: process.env, proxy: '', report };
}

async function python() {
  const { best } = await findPythons(process.env.PATH ?? '', [], places.bundle, work(AbortSignal.timeout(60_000)));
  assert.ok(best, 'a Python that makes environments is needed');
  return best;
}

before(() => {
  const vsix = readdirSync('.').find((name) => /^lens-\d.*\.vsix$/.test(name));
  assert.ok(vsix, 'run `npm run package` first');
  execFileSync('python3', ['-m', 'zipfile', '-e', path.resolve(vsix), root]);
});
after(() => rmSync(root, { recursive: true, force: true }));

test('a cancelled set-up leaves nothing that is used', async () => {
  const abort = new AbortController();
  const making = makeEnvironment(
    places,
    await python(),
    work(abort.signal, (line) => {
      if (line.startsWith('Collecting') || line.startsWith('Processing') || line.startsWith('Looking')) {
        abort.abort();
      }
    }),
  );
  await assert.rejects(making, { name: 'AbortError' });
  assert.equal(await privateEnvironment(places), undefined);
  assert.deepEqual(readdirSync(places.storage), []);
});

test('a wheel that was changed is refused', async () => {
  const bundle = path.join(root, 'changed');
  execFileSync('cp', ['-r', places.bundle, bundle]);
  const wheel = readdirSync(bundle).find((name) => name.endsWith('.whl'));
  assert.ok(wheel);
  writeFileSync(path.join(bundle, wheel), 'another one');
  const making = makeEnvironment({ ...places, bundle }, await python(), work(AbortSignal.timeout(120_000)));
  await assert.rejects(making, (error) => error instanceof StepFailed && /DO NOT MATCH THE HASHES/i.test(error.output));
  assert.equal(await privateEnvironment({ ...places, bundle }), undefined);
});

test('the environment is made, is found again, and serves', async () => {
  const interpreter = await makeEnvironment(places, await python(), work(AbortSignal.timeout(240_000)));
  assert.deepEqual(await privateEnvironment(places), { interpreter, documents: false });
  const checked = execFileSync(interpreter, ['-I', '-m', 'pip', 'check'], { encoding: 'utf8' });
  assert.match(checked, /No broken requirements/);
  const launch = launchOf({
    resolution: { source: 'private', command: interpreter, args: MODULE },
    cwd: extension,
    environment: { ...process.env, PYTHONPATH: '/nowhere', PYTHONHOME: '/nowhere' },
    trusted: true,
    endpoint: undefined,
  });
  const said = await initialized(launch);
  assert.match(said, /"name":\s*"lens/);
  assert.ok(!existsSync(path.join(extension, '__pycache__')));
  execFileSync(interpreter, ['-I', '-c', 'import mcp, onnxruntime']);
  assert.match(await greeted(agentLaunch(launch, [root], process.env, true)), /"name":\s*"lens"/);
});

test('it takes as much as is told before', async () => {
  const environment = await privateEnvironment(places);
  assert.ok(environment);
  const { search } = await sizesOf(places.bundle);
  const taken = await bytesOf(places.storage);
  console.log(`${megabytes(taken)} MB are taken, ${megabytes(search.disk)} MB are told`);
  assert.ok(Math.abs(taken / search.disk - 1) < 0.1, `${taken} bytes are taken, ${search.disk} are told`);
});

test('what reads documents is added when it is wanted, and is as large as is told', async () => {
  const before = await bytesOf(places.storage);
  await addDocuments(places, work(AbortSignal.timeout(240_000)));
  const environment = await privateEnvironment(places);
  assert.ok(environment?.documents);
  assert.ok(await hadDocuments(places));
  const brings = 'import lxml, pypdfium2, python_calamine, striprtf';
  execFileSync(environment.interpreter, ['-I', '-B', '-c', brings]);
  const { documents } = await sizesOf(places.bundle);
  const taken = (await bytesOf(places.storage)) - before;
  assert.ok(Math.abs(taken / documents.disk - 1) < 0.1, `${taken} bytes are taken, ${documents.disk} are told`);
});

test('the environment of another version is not used', async () => {
  const bundle = path.join(root, 'newer');
  execFileSync('cp', ['-r', places.bundle, bundle]);
  writeFileSync(path.join(bundle, 'requirements.txt'), '# others');
  assert.equal(await privateEnvironment({ ...places, bundle }), undefined);
});

test('when the extension is uninstalled, all of it goes', async () => {
  await remember(extension, places.storage);
  const { scripts } = JSON.parse(readFileSync(path.join(extension, 'package.json'), 'utf8')) as Manifest;
  const [program = '', ...args] = scripts['vscode:uninstall'].split(' ');
  execFileSync(program, args, { cwd: extension });
  assert.ok(!existsSync(places.storage));
});

interface Manifest {
  readonly scripts: { readonly 'vscode:uninstall': string };
}

/** What the server for agents answers to `initialize`. */
function greeted({ command, args, cwd }: AgentLaunch): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
  return new Promise((resolve, reject) => {
    const child = execFile(command, [...args], { cwd }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    child.stdin?.write(input);
    child.stdout?.once('data', () => child.stdin?.end());
  });
}

/** What the server answers to `initialize`. */
async function initialized(launch: ReturnType<typeof launchOf>): Promise<string> {
  const child = spawn(launch.command, launch.args, { ...launch.options, stdio: ['pipe', 'pipe', 'inherit'] });
  const params = { processId: process.pid, rootUri: null, capabilities: {}, workspaceFolders: null };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes('serverInfo')) {
      break;
    }
  }
  child.kill();
  return said;
}
