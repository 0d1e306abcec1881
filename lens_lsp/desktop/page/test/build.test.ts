import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

const COMMITTED = '../static';
const MOST_SCRIPT_BYTES = 300 * 1024;
const built = mkdtempSync(path.join(tmpdir(), 'lens-page-'));

after(() => rmSync(built, { recursive: true }));

describe('what is committed of the page', () => {
  execFileSync(process.execPath, ['esbuild.mjs', built]);

  it('is what its sources build, byte for byte', () => {
    assert.deepEqual(readdirSync(COMMITTED).sort(), readdirSync(built).sort());
    for (const name of readdirSync(built)) {
      const same = readFileSync(path.join(COMMITTED, name)).equals(readFileSync(path.join(built, name)));
      assert.ok(same, `${name} differs: npm run build`);
    }
  });

  it('has a script of less than 300 KiB on the wire', () => {
    assert.ok(gzipSync(readFileSync(path.join(built, 'page.js'))).length < MOST_SCRIPT_BYTES);
  });

  it('names no address but its own', () => {
    const page =
      readFileSync(path.join(built, 'index.html'), 'utf8') + readFileSync(path.join(built, 'page.css'), 'utf8');
    assert.doesNotMatch(page, /(?:src|href|url\(|@import)[^;>]*(?:https?:)?\/\/(?!www\.w3\.org)/);
  });
});
