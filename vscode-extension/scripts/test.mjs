// Runs the tests of one folder below `test` (`unit` if none is named): each is bundled, and none needs an editor.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

const [folder = 'unit', ...options] = process.argv.slice(2);
const FROM = `test/${folder}`;
const TO = `dist-test/${folder}`;

const tests = readdirSync(FROM, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.ts'));
rmSync(TO, { recursive: true, force: true });
await esbuild.build({
  entryPoints: tests.map((name) => path.join(FROM, name)),
  outdir: TO,
  outbase: FROM,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['vscode'],
  sourcemap: 'inline',
  logLevel: 'warning',
});
const files = tests.map((name) => path.join(TO, name.replace(/\.ts$/, '.cjs')));
const run = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...options, ...files], {
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
