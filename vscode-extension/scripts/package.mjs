// Makes the one .vsix: builds the bundle, and puts the server's wheel and its pinned dependencies beside it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const BUNDLED = path.join(HERE, 'bundled');
const python = process.env.PYTHON ?? 'python3';

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: HERE,
    env: { ...process.env, LENS_SLIM: '1' }, // the measurements stay out of the server's wheel
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}`);
  }
}

/** The name of the wheel inside: the one that LENS_WHEEL names, else one of the repository that this stands in. */
function wheel() {
  const given = process.env.LENS_WHEEL;
  if (given !== undefined) {
    copyFileSync(given, path.join(BUNDLED, path.basename(given)));
    return path.basename(given);
  }
  run(python, ['-m', 'pip', 'wheel', '--quiet', '--disable-pip-version-check', '--no-deps', '-w', BUNDLED, '..']);
  const wheels = readdirSync(BUNDLED).filter((name) => name.endsWith('.whl'));
  if (wheels.length !== 1) {
    throw new Error(`one wheel was expected, not ${wheels.length}`);
  }
  return wheels[0];
}

/** What the server does without where there is no wheel of it: equally but slower, and judging by rules. */
const OPTIONAL = /^(ahocorasick-rs|onnxruntime)==/;

/**
 * What pip is given: in `requirements.txt` our wheel with its hash and everything it needs, each with the hashes of its
 * wheels; in `optional.txt` what it can do without.
 */
function requirements(name) {
  const hash = createHash('sha256')
    .update(readFileSync(path.join(BUNDLED, name)))
    .digest('hex');
  const pinned = readFileSync(path.join(HERE, 'requirements.txt'), 'utf8').split(/^(?=\S)/m);
  const [needed, optional] = [false, true].map((wanted) => pinned.filter((each) => OPTIONAL.test(each) === wanted));
  if (optional.length !== 2) {
    throw new Error('requirements.txt does not list what is optional');
  }
  writeFileSync(path.join(BUNDLED, 'requirements.txt'), `./${name} --hash=sha256:${hash}\n${needed.join('')}`);
  writeFileSync(path.join(BUNDLED, 'optional.txt'), optional.join(''));
}

rmSync(BUNDLED, { recursive: true, force: true });
mkdirSync(BUNDLED);
requirements(wheel());
rmSync(path.join(HERE, 'dist'), { recursive: true, force: true });
run(process.execPath, ['esbuild.mjs']);
const { version } = JSON.parse(readFileSync(path.join(HERE, 'package.json'), 'utf8'));
const vsix = `lens-${version}.vsix`;
const vsce = path.join(HERE, 'node_modules', '@vscode', 'vsce', 'vsce');
// No repository is named, so links in the README cannot be made absolute.
const lone = ['--allow-missing-repository', '--no-rewrite-relative-links'];
run(process.execPath, [vsce, 'package', '--no-dependencies', ...lone, '-o', vsix]);
console.log(`${vsix}: ${statSync(path.join(HERE, vsix)).size.toLocaleString('en')} bytes`);
