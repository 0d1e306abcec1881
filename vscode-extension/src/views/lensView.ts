import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { failureOf } from '../failures';
import type { AnswerResult } from '../protocol/answer';
import type { ForgetParams, ForgetResult } from '../protocol/kept';
import { told } from '../reading/actions';
import { inNotification } from '../reading/plain';
import type { Reading } from '../reading/reading';
import { showAnswer } from '../reading/tabs';
import { Debounce, Throttle } from '../reading/throttle';
import { answerRows } from './answers';
import { KnownClusters } from './clusters';
import { coverageRows } from './coverage';
import { note, type Row, row } from './row';
import { sentRows } from './sent';
import { threadRows } from './threads';

const VIEW = 'lens.view';
const REFRESH_MILLISECONDS = 200;
/** Clusters are looked up at most this often: a look at all that they cite can take a while. */
const LOOK_UP_MILLISECONDS = 5_000;

/** The Lens view: threads, answers, what is known and whether it still holds, what was searched and what was sent. */
export function registerViews(lens: LensClient, reading: Reading): vscode.Disposable {
  const tree = new LensTree(lens, reading);
  const view = vscode.window.createTreeView(VIEW, { treeDataProvider: tree, showCollapseAll: true });
  return vscode.Disposable.from(
    tree,
    view,
    vscode.commands.registerCommand('lens.openAnswer', (document: vscode.Uri) => showAnswer(document)),
    vscode.commands.registerCommand('lens.showSent', () => showSent(reading, view, tree)),
    vscode.commands.registerCommand('lens.forgetCluster', (argument?: Partial<Row>) =>
      told(() => forget(lens, tree, argument)),
    ),
  );
}

class LensTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #soon = new Debounce(REFRESH_MILLISECONDS);
  readonly #known = new KnownClusters();
  readonly #learned = new Throttle(() => this.lookUp(), LOOK_UP_MILLISECONDS);
  readonly #sections: readonly Row[];
  readonly #parents = new WeakMap<Row, Row>();
  readonly #watching: vscode.Disposable;
  #latest: AnswerResult | undefined;
  readonly sent: Row;

  constructor(
    private readonly lens: LensClient,
    reading: Reading,
  ) {
    this.sent = section('sent', vscode.l10n.t('What was sent'), 'radio-tower', () => this.#asked(sentRows));
    this.#sections = [
      section('answers', vscode.l10n.t('Answers'), 'comment-discussion', () => answerRows(reading), true),
      section('threads', vscode.l10n.t('Threads'), 'list-tree', () => this.#asked(threadRows)),
      section('clusters', vscode.l10n.t('Clusters'), 'database', () =>
        this.#asked((client) => this.#known.rows(client)),
      ),
      section('coverage', vscode.l10n.t('Coverage'), 'search', () => coverageRows(reading.asked.latest)),
      this.sent,
    ];
    this.#watching = vscode.Disposable.from(
      reading.asked.onDidChange(() => this.#heard(reading.asked.latest)),
      reading.onDidRecheck(() => this.lookUp()),
    );
  }

  #heard(latest: AnswerResult | undefined): void {
    this.refresh();
    if (latest !== this.#latest) {
      this.#latest = latest;
      this.#learned.want();
    }
  }

  /** Show everything anew, soon. */
  refresh(): void {
    this.#soon.soon(() => this.#changed.fire(undefined));
  }

  /** The same, with another look at what clusters rest on. */
  lookUp(): void {
    this.#known.outdate();
    this.refresh();
  }

  getTreeItem(shown: Row): vscode.TreeItem {
    return shown.item;
  }

  async getChildren(shown?: Row): Promise<Row[]> {
    if (shown === undefined) {
      return [...this.#sections];
    }
    const children = (await shown.children?.()) ?? [];
    for (const child of children) {
      this.#parents.set(child, shown);
    }
    return [...children];
  }

  getParent(shown: Row): Row | undefined {
    return this.#parents.get(shown);
  }

  dispose(): void {
    this.#soon.dispose();
    this.#learned.dispose();
    this.#watching.dispose();
    this.#changed.dispose();
  }

  /** What the server knows. A view that is open when the window opens asks nobody for consent to start it. */
  async #asked(rows: (lens: LensClient) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    await this.lens.warm();
    if (this.lens.state !== 'running') {
      return [note(vscode.l10n.t('The server does not run: it starts with the first question'))];
    }
    try {
      return await rows(this.lens);
    } catch (error) {
      const failure = failureOf(error);
      const message = failure instanceof vscode.CancellationError ? vscode.l10n.t('not now') : failure.message;
      return [row({ label: message, icon: 'error' })];
    }
  }
}

function section(
  id: string,
  label: string,
  icon: string,
  children: () => readonly Row[] | Promise<readonly Row[]>,
  expanded = false,
): Row {
  return row({ id: `section ${id}`, label, icon, kind: 'section', expanded, children });
}

async function showSent(reading: Reading, view: vscode.TreeView<Row>, tree: LensTree): Promise<void> {
  reading.used();
  await vscode.commands.executeCommand(`${VIEW}.focus`);
  try {
    await view.reveal(tree.sent, { select: true, focus: true, expand: true });
  } catch {
    // The editor cannot go to a row of a tree that is just shown anew; the view is open, and the row is in sight.
  }
}

/** Forget what a cluster knows, for good: its facts, its citations and the answers that rest on it alone. */
async function forget(lens: LensClient, tree: LensTree, shown: Partial<Row> | undefined): Promise<void> {
  const id = shown?.cluster;
  if (id === undefined) {
    return;
  }
  const go = vscode.l10n.t('Forget');
  const title = typeof shown?.item?.label === 'string' ? shown.item.label : id;
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Forget what is known about “{0}”?', inNotification(title)),
    {
      modal: true,
      detail: vscode.l10n.t('Its facts, its citations and its answers are deleted. Your own files stay as they are.'),
    },
    go,
  );
  if (answer === go) {
    const params: ForgetParams = { ids: [id] };
    await lens.request<ForgetResult>('lens/forget', params);
    tree.lookUp();
  }
}
