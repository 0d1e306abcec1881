// Runs the tests below `test`: each is bundled, and none needs a browser.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

const FROM = 'test';
const TO = 'dist-test';

const tests = readdirSync(FROM, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.ts'));
rmSync(TO, { recursive: true, force: true });
await esbuild.build({
  entryPoints: tests.map((name) => path.join(FROM, name)),
  outdir: TO,
  outbase: FROM,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
const files = tests.map((name) => path.join(TO, name.replace(/\.ts$/, '.mjs')));
const run = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...process.argv.slice(2), ...files], {
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
