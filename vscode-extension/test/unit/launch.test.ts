import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, launchOf } from '../../src/server/launch';
import type { Resolution } from '../../src/server/resolve';

const resolution: Resolution = { source: 'environment', command: '/usr/bin/lens', args: ['serve'] };
const endpoint: Endpoint = { baseUrl: 'https://models.example/v1', name: 'large', key: 'secret' };
const inherited = {
  LENS_BASE_URL: 'https://old.example',
  LENS_MODEL: 'old',
  LENS_API_KEY: 'old key',
  LENS_CONTEXT_TOKENS: '4096',
  HOME: '/home/me',
};

function launched(environment: Record<string, string | undefined>, more: { trusted?: boolean; endpoint?: Endpoint }) {
  const start = { resolution, cwd: '/extension', environment, trusted: true, endpoint: undefined, ...more };
  return launchOf(start);
}

test('what changes which code a Python runs is taken away', () => {
  const hostile = {
    PYTHONPATH: '/workspace',
    PYTHONHOME: '/workspace',
    PYTHONSTARTUP: 'x.py',
    pythonpath: '/workspace',
    VIRTUAL_ENV: '/workspace/.venv',
    CONDA_PREFIX: '/c',
    __PYVENV_LAUNCHER__: '/workspace/python',
  };
  assert.deepEqual(launched({ ...hostile, PATH: '/usr/bin', GONE: undefined }, {}).options, {
    cwd: '/extension',
    env: { PATH: '/usr/bin' },
  });
});

test('the key stands beside the one address that it is for, and in no argument', () => {
  const launch = launched(inherited, { endpoint });
  assert.deepEqual(launch.options.env, {
    HOME: '/home/me',
    LENS_BASE_URL: 'https://models.example/v1',
    LENS_MODEL: 'large',
    LENS_API_KEY: 'secret',
  });
  assert.ok(!JSON.stringify([launch.command, launch.args]).includes('secret'));
});

test('an inherited key is not lent to an address of the settings', () => {
  const { env } = launched(inherited, { endpoint: { ...endpoint, key: undefined } }).options;
  assert.equal(env.LENS_API_KEY, undefined);
});

test('without a model in the settings the variables of the machine hold', () => {
  assert.deepEqual(launched(inherited, {}).options.env, inherited);
});

test('the models of the editor leave no address', () => {
  const { env } = launched(inherited, { endpoint: { baseUrl: '', name: 'editor', key: undefined } }).options;
  assert.deepEqual(env, { HOME: '/home/me' });
});

test('without trust the server knows no model', () => {
  assert.deepEqual(launched(inherited, { trusted: false, endpoint }).options.env, { HOME: '/home/me' });
  assert.deepEqual(launched(inherited, { trusted: false }).options.env, { HOME: '/home/me' });
});
