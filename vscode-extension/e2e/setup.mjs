/**
 * `npm run e2e:setup`: install what the stories need on a Debian machine with node and npm, and nothing else.
 *
 * No install script runs: code-server then misses its native modules, which it needs for logs and terminals only, and no
 * compiler is needed. Its own two installs are pinned by the shrinkwraps that it brings.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { browser, codeServer, missing, node, rig } from './rig.mjs';

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

function run(program, args, options = {}) {
  const began = Date.now();
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  if (status !== 0) {
    throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? `status ${status}`}`);
  }
  console.log(`${((Date.now() - began) / 1000).toFixed(1)} s: ${program} ${args.slice(0, 3).join(' ')}`);
}

function installBrowser() {
  if (existsSync(browser)) return;
  run('apt-get', ['update', '-qq']);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env });
}

function installWorkbench() {
  run('npm', ['ci', ...QUIET], { cwd: rig });
  const workbench = path.join(path.dirname(codeServer), '../../lib/vscode');
  for (const cwd of [workbench, path.join(workbench, 'extensions')]) {
    run('npm', ['install', '--omit=dev', ...QUIET], { cwd }); // its shrinkwraps lack what `npm ci` insists on
  }
}

installBrowser();
installWorkbench();
if (missing().length > 0) throw new Error(`still missing: ${missing().join(', ')}`);
run(node, [codeServer, '--version'], { stdio: ['ignore', 'inherit', 'inherit'] });
