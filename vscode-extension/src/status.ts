/** Where Lens stands, in the bar and beside a note's language; with the host of the model and what was spent today. */

import * as vscode from 'vscode';
import type { LensClient } from './client';
import { configuredHost } from './model/endpoint';
import type { LedgerParams, LedgerResult } from './protocol/ledger';
import type { Readiness } from './standing/readiness';
import { COMMANDS, hostOf, ICONS } from './standing/standing';
import type { Standings } from './standing/standings';

const { l10n, window } = vscode;
const { Information, Warning, Error: Failed } = vscode.LanguageStatusSeverity;

const SEVERITY: Readonly<Record<Readiness, vscode.LanguageStatusSeverity>> = {
  ready: Information,
  settingUp: Information,
  needsYou: Warning,
  unreachable: Warning,
  offline: Information,
};

/** Shows the standing of the window, and keeps it up to date. */
export function registerStatus(
  lens: LensClient,
  standings: Standings,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  return new Status(lens, standings, log);
}

class Status implements vscode.Disposable {
  readonly #language = vscode.languages.createLanguageStatusItem('lens.status', [
    { scheme: 'file', language: 'markdown' },
    { scheme: 'file', language: 'plaintext' },
    { scheme: 'lens-answer' },
  ]);
  readonly #bar = window.createStatusBarItem('lens.status', vscode.StatusBarAlignment.Right, 90);
  readonly #subscriptions: vscode.Disposable[];
  #tokens = 0;

  constructor(
    private readonly lens: LensClient,
    private readonly standings: Standings,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#language.name = 'Lens';
    this.#bar.name = 'Lens';
    this.#subscriptions = [
      this.#language,
      this.#bar,
      standings.onDidChange(() => this.#show()),
      lens.onDidChangeState(() => this.#count()),
      lens.onDidAnswer(() => this.#count()),
    ];
    this.#show();
    this.#bar.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  /** What was spent today. */
  async #count(): Promise<void> {
    if (this.lens.state === 'running') {
      try {
        const { today } = await this.lens.request<LedgerResult>('lens/ledger', {
          questions: 0,
        } satisfies LedgerParams);
        this.#tokens = today ? today.tokens.in + today.tokens.out : 0;
      } catch (error) {
        this.log.debug(`ledger: ${String(error)}`);
      }
    }
    this.#show();
  }

  #show(): void {
    const { is, name, also, acts } = this.standings.now;
    const says = [this.standings.now.says, also].filter((each) => each !== null).join(' ');
    const [act] = acts;
    const where = this.#where();
    const tokens = l10n.t('{0} tokens today', this.#tokens.toLocaleString());
    const label = `Lens: ${where}, ${name} ${says} ${tokens}`;
    const help = act && { title: act.label, command: COMMANDS[act.command] };
    this.#language.text = `Lens: ${where}`;
    this.#language.detail = `${name} ${says} ${tokens}`;
    this.#language.severity = this.lens.state === 'failed' ? Failed : SEVERITY[is];
    this.#language.busy = is === 'settingUp';
    this.#language.command = help ?? { title: l10n.t('Menu'), command: 'lens.menu' };
    this.#language.accessibilityInformation = { label };
    this.#bar.text = `$(${ICONS[is]}) Lens: ${where}${this.#tokens > 0 ? ` · ${this.#tokens.toLocaleString()}` : ''}`;
    this.#bar.tooltip = `${name} ${says}\n${tokens}`;
    this.#bar.command = is === 'needsYou' && help ? help.command : 'lens.menu';
    this.#bar.accessibilityInformation = { label, role: 'button' };
    const colour = this.lens.state === 'failed' ? 'errorBackground' : 'warningBackground';
    this.#bar.backgroundColor = is === 'needsYou' ? new vscode.ThemeColor(`statusBarItem.${colour}`) : undefined;
  }

  /** Where text may be sent to, in a word; where none may be, whether questions are answered. */
  #where(): string {
    const { is } = this.standings.now;
    const ready = l10n.t('ready');
    if (is === 'needsYou') {
      return l10n.t('needs you');
    }
    if (is === 'settingUp') {
      return l10n.t('getting ready');
    }
    if (is === 'offline' || !vscode.workspace.isTrusted) {
      return ready;
    }
    const { judge } = this.standings;
    return judge === null ? (configuredHost() ?? ready) : hostOf(judge.endpoint ?? ready);
  }
}
