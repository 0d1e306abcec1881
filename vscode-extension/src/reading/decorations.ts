import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { viewOf } from '../documents/textUri';
import type { AnswerResult } from '../protocol/answer';
import type { Evidence } from '../protocol/evidence';
import type { Cluster, ClustersResult } from '../protocol/kept';
import type { AskedQuestions } from './answers';
import { Debounce } from './debounce';
import { quoteIn } from './places';

const SETTING = 'decorations';
const MOST_QUOTES = 500;
const LONGEST_TEXT = 4_000_000;
const REFRESH_MILLISECONDS = 300;

interface Cited {
  readonly quote: string;
  /** Where it stood, roughly: the nearest of several equal passages is meant. */
  readonly near: number;
}

/** Marks what answers cite in open sources, as long as it still stands there. Off by `lens.decorations`. */
export class Decorations implements vscode.Disposable {
  readonly #cited = new Map<string, Cited[]>();
  readonly #type = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('lens.citedBackground'),
    borderColor: new vscode.ThemeColor('lens.citedBorder'),
    borderStyle: 'dotted',
    borderWidth: '0 0 1px 0',
    overviewRulerColor: new vscode.ThemeColor('lens.citedRuler'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  readonly #edited = new Debounce(REFRESH_MILLISECONDS);
  readonly #learned = new Debounce(REFRESH_MILLISECONDS);
  readonly #subscriptions: vscode.Disposable[];

  constructor(
    private readonly lens: LensClient,
    private readonly asked: AskedQuestions,
  ) {
    this.#subscriptions = [
      this.#type,
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#cited.has(document.uri.toString())) {
          this.#edited.soon(() => this.#draw());
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`lens.${SETTING}`)) {
          this.#draw();
          this.learn();
        }
      }),
      lens.onDidChangeState((state) => {
        if (state === 'running') {
          this.learn();
        }
      }),
      asked.onDidChange(() => this.learn()),
    ];
  }

  /** What is cited may have changed. */
  learn(): void {
    this.#learned.soon(() => void this.#learn());
  }

  dispose(): void {
    this.#edited.dispose();
    this.#learned.dispose();
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  async #learn(): Promise<void> {
    if (!shown()) {
      return;
    }
    this.#cited.clear();
    for (const { result } of this.asked.all) {
      for (const { uri, quote, span } of result === undefined ? [] : proofOf(result)) {
        this.#cite(uri, quote, span[0]);
      }
    }
    for (const cluster of await this.#clusters()) {
      for (const { uri, quote, span } of cluster.citations) {
        this.#cite(uri, quote, span[0]);
      }
    }
    this.#draw();
  }

  /** What earlier questions cite; nothing while no server runs: marks are no reason to start one. */
  async #clusters(): Promise<readonly Cluster[]> {
    if (this.lens.state !== 'running') {
      return [];
    }
    try {
      return (await this.lens.request<ClustersResult>('lens/clusters', {})).clusters;
    } catch {
      return []; // whoever asked something is told what is wrong; marks can wait
    }
  }

  #cite(uri: string | null, quote: string, near: number): void {
    if (uri === null) {
      return;
    }
    const key = viewOf(vscode.Uri.parse(uri, true)).toString();
    const known = this.#cited.get(key) ?? [];
    if (known.length < MOST_QUOTES && !known.some((each) => each.quote === quote && each.near === near)) {
      this.#cited.set(key, [...known, { quote, near }]);
    }
  }

  #draw(): void {
    const on = shown();
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.#type, on ? this.#rangesIn(editor.document) : []);
    }
  }

  #rangesIn(document: vscode.TextDocument): vscode.Range[] {
    const cited = this.#cited.get(document.uri.toString());
    if (cited === undefined) {
      return [];
    }
    const text = document.getText();
    if (text.length > LONGEST_TEXT) {
      return [];
    }
    return cited.flatMap(({ quote, near }) => {
      const found = quoteIn(text, quote, near);
      return found === undefined
        ? []
        : [new vscode.Range(document.positionAt(found[0]), document.positionAt(found[1]))];
    });
  }
}

/** The passages that prove something; those that merely come near, whole paragraphs often, are not marked. */
function proofOf({ evidence, requirements }: AnswerResult): readonly Evidence[] {
  const proving = new Set(requirements.flatMap((each) => (each.status === 'missing' ? [] : each.evidence)));
  return evidence.filter(({ n }) => proving.has(n));
}

/** Turn the marks on or off, where the user's own setting stands. */
export async function toggleDecorations(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('lens');
  const inWorkspace = settings.inspect(SETTING)?.workspaceValue !== undefined;
  await settings.update(SETTING, !shown(), !inWorkspace);
}

function shown(): boolean {
  return vscode.workspace.getConfiguration('lens').get<boolean>(SETTING, true);
}
