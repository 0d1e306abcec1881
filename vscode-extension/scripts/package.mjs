// Makes the .vsix: builds the bundle, and puts the server's wheel and its pinned dependencies beside it; with
// `--target linux-x64` (or another platform, on such a machine) the server itself, ready to run.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const BUNDLED = path.join(HERE, 'bundled');
const python = process.env.PYTHON ?? 'python3';
/** What makes one program of a Python environment. */
const FREEZER = 'pyinstaller==6.22.3';

function run(command, args, cwd = HERE) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    // The measurements stay out of the server's wheel, and what is packed does not depend on the order of a set.
    env: { ...process.env, LENS_SLIM: '1', PYTHONHASHSEED: '0' },
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

/**
 * What pip is given: in `requirements.txt` our wheel with its hash and everything it needs, each with the hashes of its
 * wheels; in `optional.txt` what it can do without, in `agents.txt` what only
 * agents need, and in `documents.txt` what reads documents. Beside them the sizes of
 * all that, as they were measured, and that of our wheel.
 */
function requirements(name) {
  run(python, ['scripts/sizes.py', '--split', BUNDLED]);
  const wheel = path.join(BUNDLED, name);
  const hash = createHash('sha256').update(readFileSync(wheel)).digest('hex');
  const needed = path.join(BUNDLED, 'needed.txt');
  const listed = `./${name} --hash=sha256:${hash}\n${readFileSync(needed, 'utf8')}`;
  writeFileSync(path.join(BUNDLED, 'requirements.txt'), listed);
  rmSync(needed);
  const sizes = JSON.parse(readFileSync(path.join(HERE, 'sizes.json'), 'utf8'));
  const counting =
    'import sys, zipfile; print(sum(each.file_size for each in zipfile.ZipFile(sys.argv[1]).infolist()))';
  const own = Number(execFileSync(python, ['-I', '-c', counting, wheel], { encoding: 'utf8' }));
  for (const { search } of Object.values(sizes.platforms)) search.disk += own;
  writeFileSync(path.join(BUNDLED, 'sizes.json'), JSON.stringify(sizes));
}

/**
 * With `--target PLATFORM`, which must be that of this machine: the server as one program, with its own Python and what
 * reads documents. The first answer needs no download then, and no Python.
 */
function program(target) {
  if (target !== `${process.platform}-${process.arch}`) {
    throw new Error(`a build for ${target} is made on such a machine, not on ${process.platform}-${process.arch}`);
  }
  const work = mkdtempSync(path.join(tmpdir(), 'lens-program-'));
  try {
    run(python, ['-m', 'venv', path.join(work, 'venv')]);
    const own = path.join(work, 'venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    for (const list of ['requirements.txt', 'optional.txt', 'agents.txt', 'documents.txt']) {
      run(own, [...pip, '--no-deps', '--require-hashes', '-r', list], BUNDLED);
    }
    run(own, [...pip, FREEZER]);
    const places = ['--distpath', work, '--workpath', path.join(work, 'build'), '--specpath', work];
    const parts = ['lens_lsp', 'lxml', 'pypdfium2', 'pypdfium2_raw', 'python_calamine', 'striprtf'];
    const collect = parts.flatMap((each) => ['--collect-all', each]);
    const quiet = ['--noconfirm', '--log-level', 'WARN', '--exclude-module', 'tkinter'];
    run(own, ['-m', 'PyInstaller', ...quiet, '--name', 'lens', ...places, ...collect, 'scripts/program.py']);
    const inside = path.join(BUNDLED, 'program');
    cpSync(path.join(work, 'lens'), inside, { recursive: true, dereference: true });
    // What pip notes of an installation names folders of this machine, and the program never reads it.
    for (const name of readdirSync(inside, { recursive: true })) {
      if (['RECORD', 'direct_url.json'].includes(path.basename(name))) rmSync(path.join(inside, name));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { target: { type: 'string' } } });
rmSync(BUNDLED, { recursive: true, force: true });
mkdirSync(BUNDLED);
requirements(wheel());
if (values.target !== undefined) program(values.target);
rmSync(path.join(HERE, 'dist'), { recursive: true, force: true });
run(process.execPath, ['esbuild.mjs']);
const { version } = JSON.parse(readFileSync(path.join(HERE, 'package.json'), 'utf8'));
const vsix = values.target === undefined ? `lens-${version}.vsix` : `lens-${values.target}-${version}.vsix`;
const vsce = path.join(HERE, 'node_modules', '@vscode', 'vsce', 'vsce');
// No repository is named, so links in the README cannot be made absolute.
const lone = ['--allow-missing-repository', '--no-rewrite-relative-links'];
const target = values.target === undefined ? [] : ['--target', values.target];
run(process.execPath, [vsce, 'package', '--no-dependencies', ...target, ...lone, '-o', vsix]);
console.log(`${vsix}: ${statSync(path.join(HERE, vsix)).size.toLocaleString('en')} bytes`);
