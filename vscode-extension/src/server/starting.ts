/** From settings to a server that runs. */

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
import type { Prompts } from '../views/prompts';
import { type Endpoint, type Launch, launchOf } from './launch';
import { type Places, privateInterpreter } from './privateEnvironment';
import { type Resolution, resolve, Unusable } from './resolve';
import { setUp } from './setUp';

const { l10n, workspace } = vscode;

/** Starts servers for one window. */
export class Starter {
  readonly #context: vscode.ExtensionContext;
  readonly #log: vscode.LogOutputChannel;
  readonly #keys: Keys;
  readonly #prompts: Prompts;
  #last: Launch | undefined;
  /** What runs, or ran last, and of which version; for diagnostics. */
  resolution: Resolution | undefined;
  version: string | undefined;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, keys: Keys, prompts: Prompts) {
    this.#context = context;
    this.#log = log;
    this.#keys = keys;
    this.#prompts = prompts;
  }

  /** As `ClientHost.start`. */
  async start(occasion: Occasion, on: SessionEvents): Promise<Session | undefined> {
    const launch = await this.#launch(occasion);
    if (!launch) {
      return undefined;
    }
    this.#last = launch;
    this.#log.info(`starting ${launch.command} ${launch.args.join(' ')}`);
    const { startSession } = await loadSession();
    try {
      return await startSession(this.#setup(launch), on);
    } catch (error) {
      this.#log.error(`the server did not start: ${String(error)}`);
      throw new Failure(
        l10n.t('The server of Lens did not start: {0}. Look at the log.', launch.command),
        'lens.notStarted',
      );
    }
  }

  /** How a server would be started now, with no question to the user; undefined where there is none yet. */
  async quietly(): Promise<Launch | undefined> {
    try {
      return await this.#launch('quietly');
    } catch (error) {
      this.#log.warn(`agents get no server: ${String(error)}`);
      return undefined;
    }
  }

  /** Whether a server that is started now would be another one than the last. */
  async outdated(): Promise<boolean> {
    try {
      const launch = await this.#launch('quietly');
      return !isDeepStrictEqual(launch, this.#last);
    } catch {
      return true; // the start will tell what is wrong
    }
  }

  async #launch(occasion: Occasion): Promise<Launch | undefined> {
    const resolution = await this.#resolved(occasion);
    if (!resolution) {
      return undefined;
    }
    this.resolution = resolution;
    return launchOf({
      resolution,
      cwd: this.#context.extensionPath,
      environment: process.env,
      trusted: workspace.isTrusted,
      endpoint: await this.#endpoint(),
    });
  }

  async #resolved(occasion: Occasion): Promise<Resolution | undefined> {
    const places = placesOf(this.#context);
    const workspaces = foldersOf();
    const inspect = inspectIn(undefined);
    const asked = {
      path: userText(inspect, 'path'),
      interpreter: userText(inspect, 'interpreter'),
      searched: process.env.PATH ?? '',
      workspaces,
      privateInterpreter: await privateInterpreter(places),
    };
    try {
      const resolution = await resolve(asked);
      if (resolution || occasion === 'quietly') {
        return resolution;
      }
      const made = await setUp({ places, log: this.#log, workspaces, prompts: this.#prompts });
      return made === undefined ? undefined : await resolve({ ...asked, privateInterpreter: made });
    } catch (error) {
      if (error instanceof Unusable) {
        throw new Failure(
          l10n.t('{0} names no program that can be run: {1}. Write an absolute path.', error.setting, error.file),
          'lens.config',
        );
      }
      throw error;
    }
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
      started: (version) => this.#started(version),
    };
  }

  #started(version: string | undefined): void {
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
