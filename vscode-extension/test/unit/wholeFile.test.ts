import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { replaceWhole } from '../../src/wholeFile';

test('a file is written and replaced, a link and a folder are not', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'lens-'));
  try {
    const file = path.join(folder, 'answer.md');
    assert.equal(await replaceWhole(file, 'one'), true);
    assert.equal(await replaceWhole(file, 'two'), true);
    assert.equal(await readFile(file, 'utf8'), 'two');
    const link = path.join(folder, 'link.md');
    const precious = path.join(folder, 'precious');
    await writeFile(precious, 'mine');
    await symlink(precious, link);
    assert.equal(await replaceWhole(link, 'three'), false);
    assert.equal(await replaceWhole(folder, 'three'), false);
    assert.equal(await readFile(precious, 'utf8'), 'mine');
    assert.deepEqual((await readdir(folder)).sort(), ['answer.md', 'link.md', 'precious']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
