/** From settings to a server that runs. */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { Occasion, Session, SessionEvents } from '../client';
import { inspectIn } from '../configuration';
import { Failure } from '../failures';
import { loadSession } from '../later';
import { answerByEditor, editorFamily, offersModels } from '../model/editorModel';
import type { Keys } from '../model/keys';
import { readable } from '../reading/answerDocument';
import type { SessionSetup } from '../session';
import { serverSettings, userText } from '../settings';
import { WRONG_SETTING } from '../standing/standing';
import type { Prompts } from '../views/prompts';
import { remember } from './installed';
import { type Endpoint, type Launch, launchOf } from './launch';
import { type Places, privateEnvironment } from './privateEnvironment';
import { type Resolution, resolve, type Unusable, type Ways } from './resolve';
import { type SetUpHost, setUp } from './setUp';
import { megabytes, sizesOf } from './sizes';

const { l10n, workspace } = vscode;

/** Starts servers for one window. */
export class Starter {
  readonly #context: vscode.ExtensionContext;
  readonly #log: vscode.LogOutputChannel;
  readonly #keys: Keys;
  readonly #prompts: Prompts;
  /** How a server was started last, and how it would have been if the first way were not broken. */
  #last: Launch | undefined;
  #wanted: Launch | undefined;
  /** What settings named then that cannot be run. */
  #unusable: readonly string[] = [];
  /** What runs, or ran last, and of which version; for diagnostics. */
  resolution: Resolution | undefined;
  version: string | undefined;
  /** As `Running.instead`. */
  instead: string | null = null;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, keys: Keys, prompts: Prompts) {
    this.#context = context;
    this.#log = log;
    this.#keys = keys;
    this.#prompts = prompts;
  }

  /** As `ClientHost.start`: the best way that works. */
  async start(occasion: Occasion, on: SessionEvents): Promise<Session | undefined> {
    const { found, unusable } = await this.#ways(occasion);
    this.instead = null;
    this.#unusable = unusable.map(({ file }) => file);
    let failure: Failure | undefined = unusable[0] && failureOfSetting(unusable[0]);
    for (const resolution of found) {
      const launch = await this.#launch(resolution);
      if (resolution === found[0]) {
        this.#wanted = launch;
      }
      try {
        const session = await this.#started(launch, resolution, on);
        this.instead =
          failure === undefined ? null : l10n.t('{0} Until then another program answers.', failure.message);
        return session;
      } catch (error) {
        this.#log.error(`the server did not start: ${String(error)}`);
        const message = l10n.t('The server of Lens did not start: {0}. Look at the log.', launch.command);
        failure ??= new Failure(message, 'lens.notStarted');
      }
    }
    if (failure !== undefined) {
      throw failure;
    }
    return undefined;
  }

  async #started(launch: Launch, resolution: Resolution, on: SessionEvents): Promise<Session> {
    this.#log.info(`starting ${launch.command} ${launch.args.join(' ')}`);
    const { startSession } = await loadSession();
    const session = await startSession(this.#setup(launch), on);
    this.#last = launch;
    this.resolution = resolution;
    if (resolution.source === 'private') {
      const extension = this.#context.extensionPath;
      await remember(extension, placesOf(this.#context).storage).catch((error: unknown) => {
        this.#log.warn(`what is installed is not kept for the day it is removed: ${String(error)}`);
      });
    }
    return session;
  }

  /** How a server would be started now, with no question to the user; undefined where there is none yet. */
  async quietly(): Promise<Launch | undefined> {
    return this.#last ?? this.#first();
  }

  /** Whether a server that is started now would be another one than the last, or settings fail it that did not then. */
  async outdated(): Promise<boolean> {
    const { found, unusable } = await this.#ways('quietly');
    const first = found[0] && (await this.#launch(found[0]));
    const files = unusable.map(({ file }) => file);
    return !isDeepStrictEqual(first, this.#wanted) || !isDeepStrictEqual(files, this.#unusable);
  }

  /** As `Running.documentMegabytes`. */
  async documentMegabytes(): Promise<number | undefined> {
    const places = placesOf(this.#context);
    if (this.resolution?.source === 'private' && (await privateEnvironment(places))?.documents === false) {
      return megabytes((await sizesOf(places.bundle)).documents.download);
    }
    return undefined;
  }

  /** What a set-up needs. */
  get setUpHost(): SetUpHost {
    return { places: placesOf(this.#context), log: this.#log, workspaces: foldersOf(), prompts: this.#prompts };
  }

  async #first(): Promise<Launch | undefined> {
    const [resolution] = (await this.#ways('quietly')).found;
    return resolution && this.#launch(resolution);
  }

  async #launch(resolution: Resolution): Promise<Launch> {
    return launchOf({
      resolution,
      cwd: this.#context.extensionPath,
      environment: process.env,
      trusted: workspace.isTrusted,
      endpoint: await this.#endpoint(),
    });
  }

  /** What can be run; where that is nothing, and the user asks for it, what was set up for them. */
  async #ways(occasion: Occasion): Promise<Ways> {
    const places = placesOf(this.#context);
    const inspect = inspectIn(undefined);
    const asked = {
      path: userText(inspect, 'path'),
      interpreter: userText(inspect, 'interpreter'),
      searched: process.env.PATH ?? '',
      workspaces: foldersOf(),
      privateInterpreter: (await privateEnvironment(places))?.interpreter,
      bundledProgram: programIn(places.bundle),
    };
    const ways = await resolve(asked);
    if (occasion === 'quietly' || ways.found.length > 0 || ways.unusable.length > 0) {
      return ways;
    }
    const made = await setUp(this.setUpHost);
    return made === undefined ? ways : resolve({ ...asked, privateInterpreter: made });
  }

  async #endpoint(): Promise<Endpoint | undefined> {
    const inspect = inspectIn(undefined);
    const baseUrl = userText(inspect, 'model.baseUrl');
    const name = userText(inspect, 'model.name');
    if (!baseUrl && editorFamily(name) === undefined) {
      return undefined;
    }
    return { baseUrl, name, key: workspace.isTrusted ? await this.#keys.of(baseUrl) : undefined };
  }

  #setup(launch: Launch): SessionSetup {
    return {
      launch,
      log: this.#log,
      settings: (scope) => serverSettings(inspectIn(scope), workspace.isTrusted),
      limited,
      say: (severity, message) => say(severity, message),
      inquire: (message, actions, token) => this.#prompts.ask({ message, actions }, token),
      show: showAnswer,
      model: workspace.isTrusted && offersModels() ? answerByEditor : undefined,
      trusted: workspace.isTrusted,
      started: (version) => this.#hears(version),
    };
  }

  #hears(version: string | undefined): void {
    this.version = version;
    this.#log.info(`the server runs, version ${version ?? 'unknown'}`);
    const { version: own } = this.#context.extension.packageJSON as { version: string };
    if (version !== undefined && older(version, own)) {
      const message = l10n.t(
        'The installed lens {0} is older than this extension, {1}. Update it, or uninstall it: Lens then sets up its own.',
        version,
        own,
      );
      say('warning', message);
    }
  }
}

/** A setting that names nothing to run, for people. */
function failureOfSetting({ setting, file }: Unusable): Failure {
  return new Failure(
    l10n.t('{0} names no program that can be run: {1}. Write an absolute path.', setting, file),
    WRONG_SETTING,
  );
}

/** Where a build of this extension for one platform has its program. */
function programIn(bundle: string): string {
  return path.join(bundle, 'program', process.platform === 'win32' ? 'lens.exe' : 'lens');
}

/** Where the private environment and what it is made from lie. */
export function placesOf(context: vscode.ExtensionContext): Places {
  return {
    storage: vscode.Uri.joinPath(context.globalStorageUri, 'server').fsPath,
    bundle: vscode.Uri.joinPath(context.extensionUri, 'bundled').fsPath,
  };
}

/** A request in this window: where the workspace is not trusted, no model judges. */
export function limited(method: string, params: object): object {
  return method === 'lens/ask' && !workspace.isTrusted ? { ...params, mode: 'evidence' } : params;
}

/** Whether a version comes before another, by the numbers in front. */
function older(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}

function foldersOf(): string[] {
  return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

const LOUDEST = ['off', 'onError', 'onWarning', 'always'] as const;

/** Tell the user, if notifications of this kind are wanted. */
function say(severity: 'error' | 'warning' | 'info', message: string): void {
  const wanted = workspace.getConfiguration('lens').get<(typeof LOUDEST)[number]>('showNotifications', 'onWarning');
  const level = LOUDEST.indexOf(wanted);
  if (severity === 'error' && level >= 1) {
    const log = l10n.t('Show Log');
    void vscode.window.showErrorMessage(message, log).then((chosen) => {
      if (chosen === log) {
        void vscode.commands.executeCommand('lens.showLog');
      }
    });
  } else if (severity === 'warning' && level >= 2) {
    void vscode.window.showWarningMessage(message);
  } else if (severity === 'info' && level >= 3) {
    void vscode.window.showInformationMessage(message);
  }
}

async function showAnswer(file: vscode.Uri, options: vscode.TextDocumentShowOptions): Promise<void> {
  const uri = readable(file);
  const beside = uri.scheme === file.scheme ? {} : { viewColumn: vscode.ViewColumn.Beside };
  await vscode.window.showTextDocument(uri, { ...options, ...beside });
}
