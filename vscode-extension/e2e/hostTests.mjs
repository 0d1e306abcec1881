/**
 * `npm run test:host`: runs test/host in the extension host of the real workbench, and prints what of src/ it covers.
 *
 * The web workbench takes the extension and its tests from `payload` in the address, and tells through two functions of
 * the page what they print and how they end. It does so only with the smoke test driver on, which also hides
 * notifications and answers dialogs: what a person sees is for the stories.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { format } from 'node:util';

import { docs, many } from './corpus.mjs';
import { environmentOf, packaged } from './packaged.mjs';
import { extension, scratch } from './rig.mjs';
import { Server } from './server.mjs';
import { launch, Workbench } from './workbench.mjs';

const LIMIT = 300_000;
const require = createRequire(path.join(extension, 'package.json'));
const dir = path.join(scratch, 'host');
const results = path.join(dir, 'results.json');
const raw = path.join(dir, 'coverage');

/** Bundles the tests where the workbench's extension host finds them. */
async function bundle() {
  await require('esbuild').build({
    entryPoints: [path.join(extension, 'test/host/index.ts')],
    outdir: path.join(extension, 'dist-test/host'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['vscode', 'mocha'],
    sourcemap: 'linked',
    logLevel: 'warning',
  });
}

/** Runs the tests; gives the exit code that the extension host told. */
async function run(server, workspace) {
  const browser = await launch();
  try {
    const remote = (place) => `vscode-remote://${new URL(server.base).host}${place}`;
    const payload = [
      ['extensionDevelopmentPath', remote(extension)],
      ['extensionTestsPath', remote(path.join(extension, 'dist-test/host/index'))],
      ['skipWelcome', 'true'],
    ];
    const context = await browser.newContext();
    const page = await context.newPage();
    const log = fs.createWriteStream(path.join(dir, 'host.log'));
    await page.exposeFunction('codeAutomationLog', (type, args) => log.write(`${type}: ${format(...args)}\n`));
    const ended = new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        const told = fs.readFileSync(path.join(dir, 'host.log'), 'utf8').match(/^info: (passed|failed|skipped): .*/gm);
        reject(new Error(`the tests did not end within ${LIMIT / 1000} s:\n${told?.join('\n') ?? 'none has ended'}`));
      }, LIMIT);
      page.exposeFunction('codeAutomationExit', (code) => {
        clearTimeout(late);
        resolve(code);
      });
    });
    await Workbench.load(page, server, { folder: workspace, payload });
    return await ended;
  } finally {
    await browser.close();
  }
}

/** Prints the results, and what of src/ was covered. */
async function report() {
  const told = JSON.parse(fs.readFileSync(results, 'utf8'));
  for (const { fullTitle, duration } of told.passes) console.log(`  ok      ${fullTitle} (${duration} ms)`);
  for (const { fullTitle } of told.pending) console.log(`  skipped ${fullTitle}`);
  for (const { fullTitle, err } of told.failures) console.log(`  FAILED  ${fullTitle}\n${err.stack ?? err.message}`);
  const { CoverageReport } = require('monocart-coverage-reports');
  const coverage = new CoverageReport({
    name: 'extension host',
    outputDir: path.join(extension, 'coverage/host'),
    reports: ['console-summary', 'json-summary'],
    entryFilter: (entry) => entry.url.includes('/vscode-extension/dist/'),
    sourceFilter: (source) => source.startsWith('src/'),
    logging: 'error',
  });
  await coverage.addFromDir(raw);
  await coverage.generate();
}

fs.rmSync(dir, { recursive: true, force: true });
await bundle();
const workspace = docs(path.join(dir, 'workspace'));
many(path.join(workspace, 'many'), '.txt');
const server = await Server.start({
  dir: path.join(dir, 'server'),
  settings: { 'lens.interpreter': environmentOf(packaged()), 'lens.exclude': ['many/'] },
  env: { LENS_TEST_RESULTS: results, NODE_V8_COVERAGE: raw },
  options: ['--vscode-option', 'enable-smoke-test-driver'],
});
try {
  process.exitCode = await run(server, workspace);
} finally {
  await server.stop();
}
await report();
