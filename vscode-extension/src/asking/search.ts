import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { Showing } from '../documents/jump';
import { failureOf } from '../failures';
import type { FindResult } from '../protocol/answer';
import type { FindParams } from '../protocol/asking';
import type { Evidence } from '../protocol/evidence';
import { Debounce } from '../reading/debounce';
import { placeOf, placeParams } from '../reading/locations';
import { excerpt, inRow } from '../reading/plain';
import type { Reading } from '../reading/reading';
import type { ChosenScope, NamedScope } from './scope';

const TYPING_MILLISECONDS = 150;
const LOOKING_MILLISECONDS = 60;
/** The reader takes more of the processor than the search: it reads when the words are there. */
const READING_MILLISECONDS = 400;
const SHORTEST = 2;
const MOST = 30;
const LONGEST_PASSAGE = 240;

interface Row extends vscode.QuickPickItem {
  readonly evidence: Evidence;
}

/** Passages as the words for them are typed; what has the focus is shown in the editor behind. */
export function search(lens: LensClient, reading: Reading, chosen: ChosenScope, typed: string): void {
  reading.used();
  const searching = new Searching(lens, chosen.now);
  searching.show(typed);
}

class Searching {
  readonly #box = vscode.window.createQuickPick<Row>();
  readonly #typing = new Debounce(TYPING_MILLISECONDS);
  readonly #looking = new Debounce(LOOKING_MILLISECONDS);
  readonly #ordering = new Debounce(READING_MILLISECONDS);
  readonly #before = vscode.window.activeTextEditor;
  readonly #selection = vscode.window.activeTextEditor?.selection;
  #source: vscode.CancellationTokenSource | undefined;
  #accepted = false;

  constructor(
    private readonly lens: LensClient,
    private readonly where: NamedScope,
  ) {}

  show(typed: string): void {
    const box = this.#box;
    box.title = vscode.l10n.t('Lens: Find Passages in {0}', this.where.name);
    box.placeholder = vscode.l10n.t('Find passages as you type');
    box.keepScrollPosition = false;
    box.onDidChangeValue((query) => this.#typing.soon(() => void this.#find(query)));
    box.onDidChangeActive(([row]) => row && this.#looking.soon(() => void preview(row.evidence)));
    box.onDidAccept(() => void this.#accept());
    box.onDidHide(() => this.#end());
    box.value = typed;
    box.show();
    if (typed !== '') {
      void this.#find(typed);
    }
  }

  async #find(query: string): Promise<void> {
    this.#source?.cancel();
    this.#source?.dispose();
    const source = new vscode.CancellationTokenSource();
    this.#source = source;
    if (query.trim().length < SHORTEST) {
      this.#box.items = [];
      this.#box.busy = false;
      return;
    }
    this.#box.busy = true;
    try {
      const params = { query: query.trim(), scope: this.where.scope, limit: MOST };
      this.#found(source, await this.lens.find(params, source.token), params.query);
      this.#ordering.soon(() => void this.#order(source, params));
    } catch (error) {
      this.#failed(source, error);
    }
  }

  /** The same passages as the reader orders them, unless the user is among them already. */
  async #order(source: vscode.CancellationTokenSource, params: FindParams): Promise<void> {
    if (this.#source !== source || this.#box.items.length < 2) {
      return;
    }
    try {
      const result = await this.lens.find({ ...params, rerank: true }, source.token);
      if (result.reranked && this.#box.activeItems[0] === this.#box.items[0]) {
        this.#found(source, result, params.query);
      }
    } catch {
      // The first order stays: it was cancelled, or the server is an older one.
    }
  }

  #found(source: vscode.CancellationTokenSource, result: FindResult, query: string): void {
    if (this.#source === source) {
      this.#box.busy = false;
      this.#box.items = result.evidence.map((each) => rowOf(each, query));
    }
  }

  #failed(source: vscode.CancellationTokenSource, error: unknown): void {
    const failure = failureOf(error);
    if (this.#source === source && !(failure instanceof vscode.CancellationError)) {
      this.#box.busy = false;
      this.#box.items = [];
      this.#box.title = vscode.l10n.t('Lens: {0}', inRow(failure.message, LONGEST_PASSAGE));
    }
  }

  async #accept(): Promise<void> {
    const place = this.#box.activeItems[0] && placeParams(this.#box.activeItems[0].evidence);
    if (place === undefined) {
      return;
    }
    this.#accepted = true;
    this.#box.hide();
    await vscode.commands.executeCommand('lens.openPlace', place);
  }

  #end(): void {
    this.#typing.dispose();
    this.#looking.dispose();
    this.#ordering.dispose();
    this.#source?.cancel();
    this.#source?.dispose();
    this.#box.dispose();
    if (!this.#accepted) {
      void this.#back();
    }
  }

  /** To where the user was before passages were shown. */
  async #back(): Promise<void> {
    const { document, viewColumn } = this.#before ?? {};
    if (document !== undefined && !document.isClosed) {
      const selection = this.#selection;
      await vscode.window.showTextDocument(document, {
        ...(viewColumn !== undefined && { viewColumn }),
        ...(selection !== undefined && { selection }),
      });
    }
  }
}

/**
 * The label is a number: the picker sorts by how well labels match what was typed, and the server's order is the one that
 * counts.
 */
function rowOf(evidence: Evidence, query: string): Row {
  const heading = evidence.heading.join(' › ');
  const place = heading === '' ? placeOf(evidence) : `${placeOf(evidence)} › ${heading}`;
  return {
    label: String(evidence.n),
    description: inRow(place, LONGEST_PASSAGE),
    detail: inRow(excerpt(evidence.quote, query), LONGEST_PASSAGE),
    alwaysShow: true,
    evidence,
  };
}

async function preview(evidence: Evidence): Promise<void> {
  const place = placeParams(evidence);
  if (place !== undefined) {
    await vscode.commands.executeCommand('lens.openPlace', place, { preview: true } satisfies Showing);
  }
}
