/** The sizes that a set-up tells: those of the packages that it installs. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { megabytes, type Sizes, sizesOf } from '../../src/server/sizes';
import { jsonOf, textOf } from './files';

const MEASURED = jsonOf<{ requirements: string; platforms: Record<string, Sizes> }>('sizes.json');

test('the sizes are those of what is pinned now: `npm run sizes` measures them', () => {
  const pinned = createHash('sha256').update(textOf('requirements.txt')).digest('hex');
  assert.equal(MEASURED.requirements, pinned);
});

test('every platform has its sizes, and what is taken is more than what is downloaded', () => {
  const names = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];
  assert.deepEqual(Object.keys(MEASURED.platforms).sort(), names);
  for (const [name, { search, documents }] of Object.entries(MEASURED.platforms)) {
    for (const { download, disk } of [search, documents]) {
      assert.ok(download > 1_000_000 && disk > download, name);
    }
  }
});

test('a machine that was not measured is told the largest size', async () => {
  const bundle = mkdtempSync(path.join(tmpdir(), 'lens-sizes-'));
  try {
    writeFileSync(path.join(bundle, 'sizes.json'), JSON.stringify(MEASURED));
    const largest = Math.max(...Object.values(MEASURED.platforms).map(({ search }) => search.disk));
    assert.equal((await sizesOf(bundle, 'plan9-mips')).search.disk, largest);
    assert.deepEqual(await sizesOf(bundle, 'linux-x64'), MEASURED.platforms['linux-x64']);
  } finally {
    rmSync(bundle, { recursive: true });
  }
});

test('megabytes are whole, and never none', () => {
  assert.deepEqual([0, 400_000, 1_600_000, 9_870_000].map(megabytes), [1, 1, 2, 10]);
});
