/** The workbench's server (code-server), with home, data and extensions of its own. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

import { PROVING, WRITE_READER } from './corpus.mjs';
import { codeServer, node } from './rig.mjs';

const STARTS_WITHIN = 60_000;
const STOPS_WITHIN = 10_000;
/** What would make noise on pictures, or connections of its own. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'remote.autoForwardPorts': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'git.openRepositoryInParentFolders': 'never',
  'editor.accessibilitySupport': 'off',
  'security.workspace.trust.banner': 'always',
};
/** The workbench asks no gallery for extensions: there is none. */
const NO_GALLERY = { EXTENSIONS_GALLERY: '{}' };
const QUIETLY = [
  ...['--auth', 'none', '--bind-addr', '127.0.0.1:0'],
  ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
];
/** Of the environment only what a person's own machine would have, too. */
const KEPT =
  /^(LANG|LC_.*|TZ|TERM|TMPDIR|PIP_.*|UV_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_.*|.*_CA_BUNDLE|https?_proxy|no_proxy)$/i;

/** The interpreter that a person would have: that of `PYTHON`, without its environment. Throws if it is older than 3.11. */
export function python() {
  const asked = process.env.PYTHON ?? 'python3';
  const probe = 'import sys; assert sys.version_info >= (3, 11), sys.version; print(sys._base_executable)';
  return execFileSync(asked, ['-I', '-c', probe], { encoding: 'utf8' }).trim();
}

/** A PATH with `python3`, what a Debian machine brings, and no `lens`. */
function pathWithPython(dir) {
  const bin = path.join(dir, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, 'python3'), `#!/bin/sh\nexec '${python()}' "$@"\n`, { mode: 0o755 });
  const dirs = [bin, '/usr/bin', '/bin'];
  const found = dirs.filter((each) => fs.existsSync(path.join(each, 'lens')));
  if (found.length > 0) throw new Error(`a lens lies in ${found.join(', ')}: the stories must not find it`);
  return dirs.join(':');
}

/** A reader for which the proofs of the stories are the passages that hold these words: none rests on the weights. */
function reader(dir) {
  const folder = path.join(dir, 'reader');
  execFileSync(python(), ['-I', WRITE_READER, folder, ...PROVING]);
  return folder;
}

function environment(dir, more) {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  const home = path.join(dir, 'home');
  fs.mkdirSync(home, { recursive: true });
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    PATH: pathWithPython(dir),
    LENS_READER: reader(dir),
    ...NO_GALLERY,
    ...more,
  };
}

function write(file, value) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(value, null, 2));
}

/** The user's settings, and the machine's: a window with a remote host reads those of machine scope only there. */
function settle(data, settings) {
  write(path.join(data, 'User/settings.json'), { ...QUIET, ...settings });
  write(path.join(data, 'Machine/settings.json'), settings);
}

/** Where the server keeps everything. */
function placesIn(dir) {
  const places = { config: 'config.yaml', 'user-data-dir': 'data', 'extensions-dir': 'extensions' };
  return Object.entries(places).flatMap(([option, name]) => [`--${option}`, path.join(dir, name)]);
}

function exited(child) {
  return new Promise((resolve) =>
    (child.exitCode ?? child.signalCode) === null ? child.once('exit', resolve) : resolve(),
  );
}

/**
 * Starts a server in an emptied `dir`, with packaged extensions. `settings` are the user's own, those of machine scope
 * among them; `trust` leaves Workspace Trust on.
 */
export class Server {
  static async start({ dir, vsix = [], settings = {}, env = {}, trust = false, options = [] }) {
    fs.rmSync(dir, { recursive: true, force: true });
    const data = path.join(dir, 'data');
    settle(data, settings);
    fs.writeFileSync(path.join(dir, 'config.yaml'), '');
    const own = { env: environment(dir, env), cwd: dir };
    const run = [codeServer, ...placesIn(dir)];
    for (const each of vsix) {
      const stdio = ['ignore', 'ignore', 'pipe'];
      execFileSync(node, [...run, '--install-extension', each, '--force'], { ...own, stdio });
    }
    const trusting = trust ? [] : ['--disable-workspace-trust'];
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(node, [...run, ...QUIETLY, ...trusting, ...options], { ...own, stdio, detached: true });
    const server = new Server(child, dir, data);
    server.base = await server.#listening();
    return server;
  }

  constructor(child, dir, data) {
    this.child = child;
    this.dir = dir;
    this.data = data;
    this.log = fs.createWriteStream(path.join(dir, 'server.log'));
    child.stderr.pipe(this.log);
  }

  /** The address that the server says it listens at. */
  #listening() {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`code-server did not start; see ${this.log.path}`)),
        STARTS_WITHIN,
      );
      this.child.once('exit', (code) => reject(new Error(`code-server ended with ${code}; see ${this.log.path}`)));
      readline.createInterface({ input: this.child.stdout }).on('line', (line) => {
        this.log.write(`${line}\n`);
        const address = /HTTP server listening on (http:\S+?)\/?$/.exec(line);
        if (address === null) return;
        clearTimeout(late);
        resolve(address[1]);
      });
    });
  }

  /** Replaces the settings; windows that are open hear of it later: `Workbench.set` waits. */
  set(settings) {
    settle(this.data, settings);
  }

  /** Ends the server and all that it started. */
  async stop() {
    const gone = exited(this.child);
    const group = (signal) => {
      try {
        process.kill(-this.child.pid, signal);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    };
    group('SIGTERM');
    const late = setTimeout(() => group('SIGKILL'), STOPS_WITHIN);
    await gone;
    clearTimeout(late);
    group('SIGKILL');
  }
}
