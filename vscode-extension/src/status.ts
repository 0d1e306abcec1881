/** Where the window says who judges: a language status, and a status bar item with what was spent today. */

import * as vscode from 'vscode';
import type { LensClient } from './client';
import { configuredHost } from './model/endpoint';
import type { LedgerParams, LedgerResult } from './protocol/ledger';
import type { Judge, StatusParams, StatusResult } from './protocol/status';

const { l10n, window } = vscode;

/** Shows the status of the window's client, and keeps it up to date. */
export function registerStatus(lens: LensClient, log: vscode.LogOutputChannel): vscode.Disposable {
  return new Status(lens, log);
}

class Status implements vscode.Disposable {
  readonly #lens: LensClient;
  readonly #log: vscode.LogOutputChannel;
  readonly #language = vscode.languages.createLanguageStatusItem('lens.status', [
    { scheme: 'file', language: 'markdown' },
    { scheme: 'file', language: 'plaintext' },
    { scheme: 'lens-answer' },
  ]);
  readonly #bar = window.createStatusBarItem('lens.status', vscode.StatusBarAlignment.Right, 90);
  readonly #subscriptions: vscode.Disposable[];
  #judge: Judge | null = null;
  #tokens = 0;

  constructor(lens: LensClient, log: vscode.LogOutputChannel) {
    this.#lens = lens;
    this.#log = log;
    this.#language.name = 'Lens';
    this.#language.command = { title: l10n.t('Menu'), command: 'lens.menu' };
    this.#bar.name = 'Lens';
    this.#bar.command = 'lens.menu';
    this.#subscriptions = [
      this.#language,
      this.#bar,
      lens.onDidChangeState(() => this.#refresh()),
      lens.onDidAnswer(() => this.#refresh()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('lens')) {
          void this.#refresh();
        }
      }),
    ];
    this.#show();
    this.#bar.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  async #refresh(): Promise<void> {
    this.#show();
    if (this.#lens.state !== 'running') {
      this.#judge = null;
      return;
    }
    try {
      const [status, ledger] = await Promise.all([
        this.#lens.request<StatusResult>('lens/status', { judge: true } satisfies StatusParams),
        this.#lens.request<LedgerResult>('lens/ledger', { questions: 0 } satisfies LedgerParams),
      ]);
      this.#judge = status.judge;
      this.#tokens = ledger.today ? ledger.today.tokens.in + ledger.today.tokens.out : 0;
    } catch (error) {
      this.#log.debug(`status: ${String(error)}`);
    }
    this.#show();
  }

  #show(): void {
    const { icon, word, severity, busy } = lookOf(this.#lens.state);
    const host = hostOf(this.#judge);
    const tokens = l10n.t('{0} tokens today', this.#tokens.toLocaleString());
    const problem = this.#judge?.problem;
    this.#language.text = `Lens: ${host}`;
    this.#language.detail = [word, tokens, problem].filter(Boolean).join(' · ');
    this.#language.severity = problem ? vscode.LanguageStatusSeverity.Warning : severity;
    this.#language.busy = busy;
    this.#language.accessibilityInformation = { label: `Lens: ${host}, ${word}, ${tokens}` };
    this.#bar.text = `${icon} Lens: ${host}${this.#tokens > 0 ? ` · ${this.#tokens.toLocaleString()}` : ''}`;
    this.#bar.tooltip = [`Lens: ${host}`, word, tokens, problem].filter(Boolean).join('\n');
    this.#bar.accessibilityInformation = { label: `Lens: ${host}, ${word}, ${tokens}`, role: 'button' };
    this.#bar.backgroundColor =
      this.#lens.state === 'failed' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  }
}

/** Where text may be sent to, in a word. */
function hostOf(judge: Judge | null): string {
  const offline = l10n.t('offline');
  if (!vscode.workspace.isTrusted) {
    return offline;
  }
  if (judge === null) {
    return configuredHost() ?? offline;
  }
  if (judge.endpoint === null) {
    return offline;
  }
  return judge.endpoint.replace(/^https?:\/\//, '');
}

function lookOf(state: LensClient['state']): {
  icon: string;
  word: string;
  severity: vscode.LanguageStatusSeverity;
  busy: boolean;
} {
  const { Information, Error: Failed } = vscode.LanguageStatusSeverity;
  switch (state) {
    case 'running':
      return { icon: '$(search-fuzzy)', word: l10n.t('ready'), severity: Information, busy: false };
    case 'starting':
      return { icon: '$(sync~spin)', word: l10n.t('starting'), severity: Information, busy: true };
    case 'failed':
      return { icon: '$(error)', word: l10n.t('the server does not run'), severity: Failed, busy: false };
    case 'stopped':
      return { icon: '$(search-fuzzy)', word: l10n.t('starts when it is needed'), severity: Information, busy: false };
  }
}
