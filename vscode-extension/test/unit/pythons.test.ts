import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Work } from '../../src/server/privateEnvironment';
import { findPythons } from '../../src/server/pythons';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'lens-pythons-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A program that says it is this Python; without the module venv where `whole` is false. */
function python(folder: string, name: string, version: string, whole = true): string {
  const file = path.join(root, folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const said = `echo '["${file}", ${version}]'`;
  writeFileSync(file, whole ? `#!/bin/sh\n${said}\n` : `#!/bin/sh\ncase "$3" in *venv*) exit 1;; esac\n${said}\n`);
  chmodSync(file, 0o755);
  return file;
}

const work: Work = { signal: AbortSignal.timeout(30_000), environment: process.env, proxy: '', report: () => {} };

function found(folders: string[], workspaces: string[] = []) {
  const searched = folders.map((folder) => path.join(root, folder)).join(path.delimiter);
  return findPythons(searched, workspaces, root, work, []);
}

test('the newest that everything has wheels for is the best', async () => {
  python('a', 'python3', '3, 11');
  const best = python('a', 'python3.13', '3, 13');
  python('b', 'python', '3, 15');
  assert.deepEqual(await found(['a', 'b']), { best: { executable: best, version: [3, 13] }, withoutVenv: false });
});

test('one that is newer than that is better than none', async () => {
  const only = python('a', 'python3', '3, 15');
  assert.equal((await found(['a'])).best?.executable, only);
});

test('one that is too old, or no Python, is none', async () => {
  python('a', 'python3', '3, 10');
  python('b', 'python3', '2, 7');
  writeFileSync(python('c', 'python3', ''), '#!/bin/sh\necho hello\n');
  assert.deepEqual(await found(['a', 'b', 'c']), { best: undefined, withoutVenv: false });
});

test('one that cannot make environments is told of', async () => {
  python('a', 'python3', '3, 12', false);
  assert.deepEqual(await found(['a']), { best: undefined, withoutVenv: true });
});

test('nothing of the workspace is run', async () => {
  const file = python('work', 'python3', '3, 12');
  writeFileSync(file, `#!/bin/sh\ntouch ${path.join(root, 'ran')}\n`);
  assert.deepEqual(await found(['work'], [path.join(root, 'work')]), { best: undefined, withoutVenv: false });
  assert.throws(() => rmSync(path.join(root, 'ran')));
});
