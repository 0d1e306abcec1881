import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Asked, MODULE, onPath, resolve, within } from '../../src/server/resolve';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'lens-resolve-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function program(...parts: string[]): string {
  const file = path.join(root, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

function asked(more: Partial<Asked>): Asked {
  const none = { path: '', interpreter: '', searched: '', workspaces: [], privateInterpreter: undefined };
  return { ...none, bundledProgram: path.join(root, 'bundled', 'lens'), ...more };
}

test('the configured program comes first, then the interpreter, the machine, our own environment, and what is bundled', async () => {
  const lens = program('bin', 'lens');
  const python = program('bin', 'python');
  const own = program('own', 'python');
  const bundled = program('bundled', 'lens');
  const searched = path.join(root, 'bin');
  const ways = await resolve(asked({ path: lens, interpreter: python, searched, privateInterpreter: own }));
  assert.deepEqual(ways, {
    found: [
      { source: 'path', command: lens, args: ['serve'] },
      { source: 'interpreter', command: python, args: MODULE },
      { source: 'environment', command: lens, args: ['serve'] },
      { source: 'private', command: own, args: MODULE },
      { source: 'bundled', command: bundled, args: MODULE },
    ],
    unusable: [],
  });
});

test('where nothing can be run, nothing is found', async () => {
  assert.deepEqual(await resolve(asked({})), { found: [], unusable: [] });
});

test('a setting that names nothing to run is told, and the next way is found all the same', async () => {
  const lens = program('bin', 'lens');
  for (const file of ['lens', path.join(root, 'none'), root]) {
    const { found, unusable } = await resolve(asked({ path: file, searched: path.join(root, 'bin') }));
    assert.deepEqual(found, [{ source: 'environment', command: lens, args: ['serve'] }]);
    assert.deepEqual(
      unusable.map(({ setting, file: named }) => [setting, named]),
      [['lens.path', file]],
    );
    const [only] = (await resolve(asked({ interpreter: file }))).unusable;
    assert.equal(only?.setting, 'lens.interpreter');
  }
});

test('nothing below a workspace folder is found on the search path', async () => {
  program('work', '.venv', 'bin', 'lens');
  program('work', 'lens');
  const outside = program('workbench', 'lens');
  const folders = [path.join(root, 'work', '.venv', 'bin'), path.join(root, 'work'), path.dirname(outside)];
  const searched = folders.join(path.delimiter);
  assert.deepEqual(await onPath(['lens'], searched, [path.join(root, 'work')]), [outside]);
});

test('folders of the search path that depend on where one stands are left out', async () => {
  program('bin', 'lens');
  const there = process.cwd();
  process.chdir(root);
  try {
    assert.deepEqual(await onPath(['lens'], ['', '.', 'bin', './bin'].join(path.delimiter), []), []);
  } finally {
    process.chdir(there);
  }
});

test('a file that cannot be run is no program', async () => {
  const file = program('bin', 'lens');
  chmodSync(file, 0o644);
  assert.deepEqual(await onPath(['lens'], path.dirname(file), []), []);
});

test('within compares whole names', () => {
  assert.equal(within('/notes', '/notes'), true);
  assert.equal(within('/notes/..a', '/notes'), true);
  assert.equal(within('/notes-old', '/notes'), false);
  assert.equal(within('/', '/notes'), false);
});
