import * as vscode from 'vscode';
import { fileOfText } from '../documents/textUri';
import { openingPlace } from './locations';
import { oneLine } from './plain';
import { passagesInFiles } from './words';

/** Evidence in the editor's own References view, where F4 and Shift+F4 go from one to the next. */

const EXTENSION = 'vscode.references-view';
const LONGEST_LINE = 200;

// What is used of the API of `vscode.references-view`: it is in no package.
interface SymbolTree {
  setInput(input: SymbolTreeInput): void;
}

interface SymbolTreeInput {
  readonly contextValue: string;
  readonly title: string;
  readonly location: vscode.Location;
  resolve(): Promise<SymbolTreeModel>;
  with(location: vscode.Location): SymbolTreeInput;
}

interface SymbolTreeModel {
  readonly message: string | undefined;
  readonly provider: vscode.TreeDataProvider<Item>;
  readonly navigation: Navigation;
  readonly highlights: { getEditorHighlights(item: Item, uri: vscode.Uri): vscode.Range[] | undefined };
}

interface Navigation {
  nearest(uri: vscode.Uri, position: vscode.Position): Item | undefined;
  next(from: Item): Item;
  previous(from: Item): Item;
  location(item: Item): vscode.Location | undefined;
}

/** A file with passages, or a passage. */
type Item = Source | Passage;

class Source {
  readonly passages: Passage[] = [];
  constructor(readonly uri: vscode.Uri) {}
}

class Passage {
  constructor(
    readonly source: Source,
    readonly range: vscode.Range,
  ) {}
}

/**
 * Show places that prove something; where the References view is missing they are peeked at from the answer.
 *
 * @param from - the place of the answer, or undefined to begin at the first place.
 */
export async function showPlaces(
  title: string,
  places: readonly vscode.Location[],
  from: vscode.Location | undefined,
): Promise<void> {
  const [first] = places;
  if (first === undefined) {
    return;
  }
  const tree = await symbolTree();
  if (tree !== undefined) {
    tree.setInput(new EvidenceInput(title, places, from ?? first));
    return;
  }
  const { uri, range } = from ?? first;
  await vscode.commands.executeCommand('editor.action.peekLocations', uri, range.start, [...places], 'peek');
}

async function symbolTree(): Promise<SymbolTree | undefined> {
  const api: unknown = await vscode.extensions.getExtension(EXTENSION)?.activate();
  return typeof api === 'object' && api !== null && 'setInput' in api ? (api as SymbolTree) : undefined;
}

class EvidenceInput implements SymbolTreeInput {
  readonly contextValue = 'lens.evidence';

  constructor(
    readonly title: string,
    private readonly places: readonly vscode.Location[],
    readonly location: vscode.Location,
  ) {}

  async resolve(): Promise<SymbolTreeModel> {
    const sources = new Map<string, Source>();
    for (const { uri, range } of this.places) {
      const source = sources.get(uri.toString()) ?? new Source(uri);
      sources.set(uri.toString(), source);
      source.passages.push(new Passage(source, range));
    }
    const model = new EvidenceModel([...sources.values()]);
    return {
      message: passagesInFiles(this.places.length, sources.size),
      provider: model,
      navigation: model,
      highlights: {
        getEditorHighlights: (item, uri) => {
          const source = sourceOf(item);
          return source.uri.toString() === uri.toString() ? source.passages.map(({ range }) => range) : undefined;
        },
      },
    };
  }

  with(location: vscode.Location): SymbolTreeInput {
    return new EvidenceInput(this.title, this.places, location);
  }
}

class EvidenceModel implements vscode.TreeDataProvider<Item>, Navigation {
  readonly #passages: readonly Passage[];

  constructor(private readonly sources: readonly Source[]) {
    this.#passages = sources.flatMap(({ passages }) => passages);
  }

  getChildren(item?: Item): Item[] {
    if (item === undefined) {
      return [...this.sources];
    }
    return item instanceof Source ? item.passages : [];
  }

  getParent(item: Item): Item | undefined {
    return item instanceof Passage ? item.source : undefined;
  }

  getTreeItem(item: Item): Promise<vscode.TreeItem> | vscode.TreeItem {
    return item instanceof Source ? rowOfSource(item) : rowOfPassage(item);
  }

  nearest(uri: vscode.Uri, position: vscode.Position): Item | undefined {
    const here = this.#passages.filter(({ source }) => source.uri.toString() === uri.toString());
    return here.find(({ range }) => range.end.isAfterOrEqual(position)) ?? here.at(-1) ?? this.#passages[0];
  }

  next(from: Item): Item {
    return this.#beside(from, 1);
  }

  previous(from: Item): Item {
    return this.#beside(from, -1);
  }

  location(item: Item): vscode.Location | undefined {
    const passage = item instanceof Passage ? item : item.passages[0];
    return passage && new vscode.Location(passage.source.uri, passage.range);
  }

  #beside(from: Item, step: number): Item {
    const passage = from instanceof Passage ? from : from.passages[0];
    const at = passage === undefined ? 0 : this.#passages.indexOf(passage) + step;
    return this.#passages.at(at % this.#passages.length) ?? from;
  }
}

function sourceOf(item: Item): Source {
  return item instanceof Source ? item : item.source;
}

function rowOfSource(source: Source): vscode.TreeItem {
  // The text of a document has the name of the document.
  const file = fileOfText(source.uri) ?? source.uri;
  const row = new vscode.TreeItem(file, vscode.TreeItemCollapsibleState.Expanded);
  row.contextValue = 'lens.evidence.file';
  row.iconPath = vscode.ThemeIcon.File;
  row.description = true;
  row.accessibilityInformation = {
    label: `${vscode.workspace.asRelativePath(file)}, ${passagesInFiles(source.passages.length, 1)}`,
  };
  return row;
}

async function rowOfPassage({ source, range }: Passage): Promise<vscode.TreeItem> {
  const text = oneLine(await textAt(source.uri, range), LONGEST_LINE);
  const line = range.start.line + 1;
  const row = new vscode.TreeItem(text || vscode.l10n.t('line {0}', line));
  row.contextValue = 'lens.evidence.passage';
  row.description = vscode.l10n.t('line {0}', line);
  row.accessibilityInformation = { label: vscode.l10n.t('{0}, line {1}', text, line) };
  row.command = openingPlace({ uri: source.uri.toString(), range: { start: range.start, end: range.end } });
  return row;
}

/** Nothing for a file that is no text. */
async function textAt(uri: vscode.Uri, range: vscode.Range): Promise<string> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText(range);
  } catch {
    return '';
  }
}
