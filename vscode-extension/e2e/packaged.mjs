/** The packaged extensions that the stories install, and a Python environment made of what is packed in one. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { e2e, extension, scratch } from './rig.mjs';
import { python } from './server.mjs';

/** All that a set-up can install. */
const LISTS = ['requirements.txt', 'optional.txt', 'agents.txt', 'documents.txt'];
const require = createRequire(path.join(extension, 'package.json'));

/** The .vsix of `npm run package`. Throws where there is none. */
export function packaged() {
  const { name, version } = require('./package.json');
  const file = path.join(extension, `${name}-${version}.vsix`);
  if (!fs.existsSync(file)) throw new Error(`run \`npm run package\` first: there is no ${file}`);
  return file;
}

/** The .vsix of `npm run package -- --target PLATFORM`. Throws where there is none. */
export function packagedFor(platform) {
  const { name, version } = require('./package.json');
  const file = path.join(extension, `${name}-${platform}-${version}.vsix`);
  if (!fs.existsSync(file))
    throw new Error(`run \`npm run package -- --target ${platform}\` first: there is no ${file}`);
  return file;
}

/** The extension that gives a language model, packaged. */
export function provider() {
  const file = path.join(scratch, 'provider.vsix');
  fs.mkdirSync(scratch, { recursive: true });
  const vsce = path.join(extension, 'node_modules/.bin/vsce');
  const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '-o', file];
  execFileSync(vsce, ['package', ...options], {
    cwd: path.join(e2e, 'provider'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return file;
}

/** The interpreter of an environment made from what a .vsix brings: for stories that are not about making one. */
export function environmentOf(vsix) {
  const id = createHash('sha256').update(fs.readFileSync(vsix)).digest('hex').slice(0, 16);
  const dir = path.join(scratch, `environment-${id}`);
  const interpreter = path.join(dir, 'venv/bin/python');
  const whole = path.join(dir, 'whole');
  if (fs.existsSync(whole)) return interpreter;
  for (const old of fs.existsSync(scratch) ? fs.readdirSync(scratch) : []) {
    if (old.startsWith('environment-')) fs.rmSync(path.join(scratch, old), { recursive: true, force: true });
  }
  fs.mkdirSync(dir, { recursive: true });
  // As in the stories: what the developer's own home says of pip is not used.
  const env = { ...process.env, HOME: dir };
  const run = (program, args, cwd = dir) =>
    execFileSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  run(python(), ['-m', 'zipfile', '-e', vsix, dir]);
  run(python(), ['-m', 'venv', path.join(dir, 'venv')]);
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--require-hashes'];
  run(
    interpreter,
    ['-I', '-m', 'pip', 'install', ...options, ...LISTS.flatMap((list) => ['-r', list])],
    path.join(dir, 'extension/bundled'),
  );
  fs.writeFileSync(whole, '');
  return interpreter;
}
