/** Where the editor starts us: everything is put together here, and nothing is done yet. */

import * as vscode from 'vscode';
import { registerAgents } from './agents/register';
import { registerAsking } from './asking/ask';
import { ChosenScope } from './asking/scope';
import { registerChat } from './chat/register';
import { createClient, type LensClient } from './client';
import { copyDiagnostics } from './diagnostics';
import { registerDocuments } from './documents/documents';
import { Failure } from './failures';
import { showMenu } from './menu';
import { chooseModel, removeApiKey, setApiKey } from './model/endpoint';
import { Keys } from './model/keys';
import type { PdfViewers } from './pdf/viewers';
import { registerReading } from './reading/reading';
import { readDocuments, removeAll } from './server/installing';
import { limited, Starter } from './server/starting';
import { PROCESS_SETTINGS } from './settings';
import { Standings } from './standing/standings';
import { registerStatus } from './status';
import { AnswerView } from './views/answerView';
import { Prompts, VIEW } from './views/prompts';

/** What other extensions, and our own tests, get of us. */
export interface LensApi {
  readonly client: LensClient;
  readonly standings: Standings;
  readonly pdfs: PdfViewers;
  /** How many milliseconds `activate` took. */
  readonly took: number;
}

/** Milliseconds between the activation and the start of a server for open notes. */
const SETTLED = 2_000;
/** Where a Python comes from. */
const PYTHON = 'https://www.python.org/downloads/';

/** Called by the editor once, when something of ours is needed first. */
export function activate(context: vscode.ExtensionContext): LensApi {
  const began = performance.now();
  const log = vscode.window.createOutputChannel('Lens', { log: true });
  const keys = new Keys(context.secrets);
  const prompts = new Prompts();
  const starter = new Starter(context, log, keys, prompts);
  const lens = createClient({
    log,
    start: (occasion, on) => starter.start(occasion, on),
    limited,
    gaveUp: () => void tellGaveUp(),
  });
  const documents = registerDocuments(context, lens);
  const reading = registerReading(context, lens);
  const chosen = new ChosenScope(context.workspaceState);
  const standings = new Standings(lens, prompts, context.workspaceState, starter, log);
  const view = new AnswerView(context, lens, reading, prompts, chosen, standings);
  context.subscriptions.push(
    view, // before the client, whose end would end the questions that the next window tells of
    log,
    lens,
    documents,
    reading,
    prompts,
    registerAsking(lens, reading, view, chosen),
    registerChat(context, lens),
    registerAgents(context, lens, starter),
    standings,
    registerStatus(lens, standings, log),
    ...commands(context, log, keys, lens, starter),
    ...restarts(keys, lens, starter),
    warmth(lens),
  );
  return { client: lens, standings, pdfs: documents.pdfs, took: performance.now() - began };
}

function commands(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  keys: Keys,
  lens: LensClient,
  starter: Starter,
): vscode.Disposable[] {
  const { registerCommand } = vscode.commands;
  return [
    registerCommand('lens.menu', showMenu),
    registerCommand('lens.showLog', () => log.show()),
    registerCommand('lens.openSettings', () =>
      vscode.commands.executeCommand('workbench.action.openSettings', '@ext:lens-lsp.lens'),
    ),
    registerCommand('lens.restart', () => startAgain(lens)),
    registerCommand('lens.setUp', () => setUpNow(lens)),
    registerCommand('lens.readDocuments', () => readDocuments(lens, starter)),
    registerCommand('lens.removeInstalled', () => removeAll(lens, starter)),
    registerCommand('lens.getPython', () => vscode.env.openExternal(vscode.Uri.parse(PYTHON))),
    registerCommand('lens.chooseModel', () => chooseModel(keys)),
    registerCommand('lens.setApiKey', () => setApiKey(keys)),
    registerCommand('lens.removeApiKey', () => removeApiKey(keys)),
    registerCommand('lens.copyDiagnostics', () => copyDiagnostics(context, lens, starter)),
  ];
}

/** `Lens: Restart Server`: unlike other restarts it starts one that did not run, and may ask the user. */
async function startAgain(lens: LensClient): Promise<void> {
  await lens.restart('the user asked for it');
  try {
    await lens.ready();
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) {
      void vscode.window.showErrorMessage(String((error as Error).message));
    }
  }
}

/** `Lens: Set Up`: what keeps it from running is said where Lens stands. */
async function setUpNow(lens: LensClient): Promise<void> {
  try {
    await lens.ready();
  } catch (error) {
    if (error instanceof Failure) {
      await vscode.commands.executeCommand(`${VIEW}.focus`);
    }
  }
}

/** Restart when a server that is started now would be another one. */
function restarts(keys: Keys, lens: LensClient, starter: Starter): vscode.Disposable[] {
  const check = async (reason: string): Promise<void> => {
    if (lens.state !== 'stopped' && (await starter.outdated())) {
      await lens.restart(reason);
    }
  };
  return [
    vscode.workspace.onDidChangeConfiguration((event) => {
      const changed = PROCESS_SETTINGS.find((name) => event.affectsConfiguration(`lens.${name}`));
      if (changed !== undefined) {
        void check(`lens.${changed} changed`);
      }
    }),
    keys.onDidChange(() => void check('a key changed')),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void lens.restart('the folder is trusted now')),
  ];
}

/** Once an activation has settled, notes that are open get what the server has to say of them. */
function warmth(lens: LensClient): vscode.Disposable {
  const isNote = (document: vscode.TextDocument): boolean =>
    document.languageId === 'markdown' && document.uri.scheme === 'file';
  const look = (): void => {
    if (vscode.workspace.textDocuments.some(isNote)) {
      void lens.warm();
    }
  };
  const timer = setTimeout(look, SETTLED);
  const opened = vscode.workspace.onDidOpenTextDocument((document) => {
    if (isNote(document) && lens.state === 'stopped') {
      timer.refresh();
    }
  });
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    opened.dispose();
  });
}

async function tellGaveUp(): Promise<void> {
  const restart = vscode.l10n.t('Restart');
  const log = vscode.l10n.t('Show Log');
  const message = vscode.l10n.t('The server of Lens went away several times and was not started again.');
  const chosen = await vscode.window.showErrorMessage(message, restart, log);
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen === restart ? 'lens.restart' : 'lens.showLog');
  }
}
