/** What was installed is removed, by the command and when the extension is uninstalled; nothing else ever is. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { remember, removeInstalled } from '../../src/server/installed';
import { bytesOf, removeEnvironments } from '../../src/server/privateEnvironment';

let root: string;
let extension: string;
let storage: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'lens-installed-'));
  extension = path.join(root, 'extensions', 'lens-lsp.lens-0.1.0');
  storage = path.join(root, 'globalStorage', 'lens-lsp.lens', 'server');
  mkdirSync(path.join(storage, 'python-abc', 'bin'), { recursive: true });
  mkdirSync(extension, { recursive: true });
  writeFileSync(path.join(storage, 'python-abc', 'bin', 'python'), '12345');
  writeFileSync(path.join(storage, 'current.json'), '{}');
  writeFileSync(path.join(storage, 'current.json.12'), '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('environments are removed, with the bytes that they took', async () => {
  assert.equal(await bytesOf(storage), 7);
  assert.equal(await removeEnvironments(storage), 7);
  assert.ok(!existsSync(storage));
  assert.equal(await removeEnvironments(storage), 0);
});

test('what is not ours stays, and so does what a link leads to', async () => {
  const other = path.join(root, 'other');
  mkdirSync(other);
  writeFileSync(path.join(other, 'file'), 'mine');
  symlinkSync(other, path.join(storage, 'python-abc', 'link'));
  writeFileSync(path.join(storage, 'notes.md'), 'mine');
  await removeEnvironments(storage);
  assert.deepEqual(readdirSync(storage), ['notes.md']);
  assert.ok(existsSync(path.join(other, 'file')));
});

test('an extension that is uninstalled takes along what it installed, wherever that was', async () => {
  await remember(extension, storage);
  await remember(extension, storage);
  assert.equal(await removeInstalled(extension), 7);
  assert.ok(!existsSync(storage));
});

test('one that installed nothing removes nothing', async () => {
  assert.equal(await removeInstalled(extension), 0);
  assert.ok(existsSync(storage));
});

test('a list that somebody changed leads to no other folder', async () => {
  const victim = path.join(root, 'documents', 'server');
  mkdirSync(path.join(victim, 'python-mine'), { recursive: true });
  const said = [victim, path.join(root, 'documents'), 'lens-lsp.lens/server', 7, '/'];
  writeFileSync(path.join(extension, 'installed.json'), JSON.stringify(said));
  assert.equal(await removeInstalled(extension), 0);
  assert.ok(existsSync(path.join(victim, 'python-mine')));
});
