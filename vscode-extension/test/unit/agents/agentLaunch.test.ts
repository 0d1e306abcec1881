import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentLaunch } from '../../../src/agents/launch';
import { launchOf } from '../../../src/server/launch';
import { MODULE, type Resolution } from '../../../src/server/resolve';

const INHERITED = { HOME: '/home/me', PYTHONPATH: '/workspace', LENS_API_KEY: 'old key' };
const OURS: Resolution = { source: 'private', command: '/storage/python', args: MODULE };

function launched(resolution: Resolution, secret: boolean, trusted = true) {
  const endpoint = { baseUrl: 'https://models.example/v1', name: 'large', key: 'secret' };
  const launch = launchOf({ resolution, cwd: '/extension', environment: INHERITED, trusted, endpoint });
  return agentLaunch(launch, ['/notes', '/-x'], INHERITED, secret);
}

test('it is the same program, isolated as the language server is, within the folders', () => {
  const { command, args, cwd } = launched(OURS, true);
  assert.equal(command, '/storage/python');
  assert.deepEqual(args, ['-I', '-m', 'lens_lsp', 'mcp', '--', '/notes', '/-x']);
  assert.equal(cwd, '/extension');
});

test('of a program of the user only the last argument is another', () => {
  const { command, args } = launched({ source: 'path', command: '/usr/bin/serve', args: ['serve'] }, true);
  assert.deepEqual([command, ...args], ['/usr/bin/serve', 'mcp', '--', '/notes', '/-x']);
});

test('the key is said when the server is started, and not before', () => {
  assert.equal(launched(OURS, true).env.LENS_API_KEY, 'secret');
  assert.ok(!JSON.stringify(launched(OURS, false)).includes('secret'));
  assert.equal(launched(OURS, false).env.LENS_BASE_URL, 'https://models.example/v1');
});

test('what the language server does not get is taken away, and what is as it was is not said', () => {
  assert.deepEqual(launched(OURS, true, false).env, { PYTHONPATH: null, LENS_API_KEY: null });
  assert.ok(!('HOME' in launched(OURS, true).env));
});
