/**
 * `npm run e2e [STORY…]`: the page in a real Chromium, driven against the real `lens desktop` on real files. PYTHON names
 * the interpreter that has lens-lsp with its extras, CHROMIUM the browser. Pictures stay in `e2e/shots`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { missing } from './rig.mjs';

const stories = path.join(path.dirname(fileURLToPath(import.meta.url)), 'stories');
const wanted = process.argv.slice(2);

if (missing().length > 0) {
  console.error(`missing: ${missing().join(', ')}`);
  process.exit(2);
}
const files = readdirSync(stories).filter((name) => wanted.length === 0 || wanted.includes(path.parse(name).name));
const run = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=1',
    '--test-force-exit',
    '--test-reporter=spec',
    ...files.map((name) => path.join(stories, name)),
  ],
  { stdio: 'inherit' },
);
process.exit(run.status ?? 1);
