/** Setting up the private environment: asked before, followed and cancelled while, explained when it fails. */

import * as vscode from 'vscode';
import { Failure } from '../failures';
import { NO_PYTHON } from '../standing/standing';
import type { Prompts } from '../views/prompts';
import {
  addDocuments,
  DOCUMENTS,
  hadDocuments,
  makeEnvironment,
  type Places,
  packagesOf,
  privateEnvironment,
  StepFailed,
  type Work,
} from './privateEnvironment';
import { findPythons, OLDEST } from './pythons';
import { megabytes, sizesOf } from './sizes';

/** What the set-up needs from around it. */
export interface SetUpHost {
  readonly places: Places;
  readonly log: vscode.LogOutputChannel;
  readonly workspaces: readonly string[];
  readonly prompts: Prompts;
}

const { l10n } = vscode;
const VERSION = OLDEST.join('.');

/**
 * The interpreter of a private environment, which is made now if the user agrees. Undefined when the user does not, or
 * cancels. Rejects with `Failure`.
 */
export async function setUp(host: SetUpHost): Promise<string | undefined> {
  const python = await findPython(host);
  const yes = l10n.t('Set up');
  const choose = l10n.t('Choose a program…');
  const documents = await hadDocuments(host.places);
  const { download, disk } = await totalOf(host.places, documents);
  const question = l10n.t(
    'Lens needs its search program. It is set up once: a Python environment in this extension’s own folder, with packages that are compared with known hashes. {0} MB are downloaded, and {1} MB are taken on disk.',
    megabytes(download),
    megabytes(disk),
  );
  const chosen = await host.prompts.ask({ message: question, actions: [yes, choose], about: 'set-up' });
  if (chosen === choose) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'lens.path');
  }
  if (chosen !== yes) {
    return undefined;
  }
  const count = await packagesOf(host.places);
  return followed(host, count, async (work) => {
    const interpreter = await makeEnvironment(host.places, python, work, documents);
    host.log.info(`the server was set up with Python ${python.version.join('.')}`);
    return interpreter;
  });
}

/**
 * Installs what reads documents: into the private environment, or into one that is made for it. Undefined where the user
 * cancels it. Rejects with `Failure`.
 */
export async function setUpDocuments(host: SetUpHost): Promise<true | undefined> {
  const there = await privateEnvironment(host.places);
  const python = there === undefined ? await findPython(host) : undefined;
  const count = await packagesOf(host.places, DOCUMENTS);
  return followed<true>(host, python === undefined ? count : count + (await packagesOf(host.places)), async (work) => {
    await (python === undefined ? addDocuments(host.places, work) : makeEnvironment(host.places, python, work, true));
    return true;
  });
}

async function totalOf(places: Places, documents: boolean) {
  const sizes = await sizesOf(places.bundle);
  const more = documents ? sizes.documents : { download: 0, disk: 0 };
  return { download: sizes.search.download + more.download, disk: sizes.search.disk + more.disk };
}

function workOf(signal: AbortSignal, report: (line: string) => void): Work {
  const proxy = vscode.workspace.getConfiguration('http').inspect<string>('proxy')?.globalValue ?? '';
  return { signal, report, environment: process.env, proxy };
}

async function findPython(host: SetUpHost): Promise<Parameters<typeof makeEnvironment>[1]> {
  const work = workOf(AbortSignal.timeout(60_000), () => {});
  const searched = process.env.PATH ?? '';
  const { best, withoutVenv } = await findPythons(searched, host.workspaces, host.places.bundle, work);
  if (best) {
    return best;
  }
  if (withoutVenv) {
    throw new Failure(
      l10n.t(
        'Lens found a Python that cannot make environments. Install its module venv (on Debian and Ubuntu: sudo apt install python3-venv), then try again.',
      ),
      NO_PYTHON,
    );
  }
  throw new Failure(
    l10n.t(
      'Lens needs Python {0} or newer on this machine. Install it, or set lens.interpreter to one, or lens.path to an installed lens; then try again.',
      VERSION,
    ),
    NO_PYTHON,
  );
}

/** Does the work where the user sees how far it is, and can end it. `all` is the number of packages, at most. */
async function followed<R>(host: SetUpHost, all: number, make: (work: Work) => Promise<R>): Promise<R | undefined> {
  const title = l10n.t('Lens: setting up the server');
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const tell = (message: string, increment = 0) => {
      progress.report({ message, increment });
      host.prompts.report(message);
    };
    tell(l10n.t('making an environment'));
    let done = 0;
    const work = workOf(abort.signal, (line) => {
      host.log.debug(`set-up: ${line}`);
      if (/^\s*(?:Collecting|Processing) /.test(line)) {
        done = Math.min(done + 1, all);
        tell(l10n.t('package {0} of {1}', done, all), 90 / all);
      } else if (/^\s*Installing /.test(line)) {
        tell(l10n.t('installing {0} packages', all));
      }
    });
    try {
      return await make(work);
    } catch (error) {
      if (abort.signal.aborted) {
        return undefined;
      }
      throw told(error, host.log);
    }
  });
}

function told(error: unknown, log: vscode.LogOutputChannel): Failure {
  if (error instanceof StepFailed) {
    log.error(`set-up, step ${error.message}:\n${error.output}`);
  } else {
    log.error(`set-up: ${String(error)}`);
  }
  const offline = error instanceof StepFailed && error.message === 'pip';
  return new Failure(
    offline
      ? l10n.t(
          'Lens could not download what its server needs. Look at the log, check the connection and http.proxy, then try again.',
        )
      : l10n.t('Lens could not set up its server. Look at the log, then try again.'),
    'lens.setUpFailed',
  );
}
