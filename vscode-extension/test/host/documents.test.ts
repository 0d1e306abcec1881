import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { squashed } from '../../src/pdf/matching';
import type { ShownPage } from '../../src/pdf/viewers';
import { extension, inWorkspace, until } from './window';

const QUOTE = 'whose undated signature is insufficient evidence';
const CELL = 'The mill costs 40 EUR a month.';

/** What is shown next, or was just now, of a file. */
async function shownBy(act: () => Thenable<unknown>): Promise<ShownPage> {
  const { pdfs } = await extension().activate();
  let shown: ShownPage | undefined;
  const listening = pdfs.onDidShow((page) => {
    shown = page;
  });
  try {
    await act();
    return await until(pdfs.onDidShow, () => shown);
  } finally {
    listening.dispose();
  }
}

function openPlace(place: object): Thenable<unknown> {
  return vscode.commands.executeCommand('lens.openPlace', place);
}

function shownTab(): vscode.Tab['input'] {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.input;
}

suite('Documents that are no text', () => {
  const pdf = () => inWorkspace('papers/ferry.pdf');
  const notebook = () => inWorkspace('papers/sums.ipynb');

  suiteSetup(async () => {
    const fixture = vscode.Uri.joinPath(extension().extensionUri, 'e2e/fixtures/ferry.pdf');
    await vscode.workspace.fs.copy(fixture, pdf());
    const cell = { cell_type: 'markdown', metadata: {}, source: [`# Sums\n\n${CELL}\n`] };
    const text = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
    await vscode.workspace.fs.writeFile(notebook(), Buffer.from(text));
  });

  suiteTeardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(inWorkspace('papers'), { recursive: true });
  });

  test('a place in a PDF is its page, with the words highlighted', async () => {
    const shown = await shownBy(() => openPlace({ uri: pdf().toString(), page: 3, quote: QUOTE }));
    assert.equal(shown.file.toString(), pdf().toString());
    assert.deepEqual([shown.page, shown.pages], [3, 3]);
    assert.equal(squashed(shown.words ?? ''), squashed(QUOTE));
    const tab = shownTab();
    assert.ok(tab instanceof vscode.TabInputCustom && tab.viewType === 'lens.pdf');
  });

  test('another place of the same PDF is shown in the same viewer', async () => {
    const quote = 'The crossing takes eleven minutes in calm weather.';
    const shown = await shownBy(() => openPlace({ uri: pdf().toString(), page: 2, quote }));
    assert.equal(shown.page, 2);
    assert.equal(squashed(shown.words ?? ''), squashed(quote));
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.equal(tabs.filter(({ input }) => input instanceof vscode.TabInputCustom).length, 1);
  });

  test('words whose page nobody knows are looked for', async () => {
    const shown = await shownBy(() => openPlace({ uri: pdf().toString(), quote: QUOTE }));
    assert.equal(shown.page, 3);
  });

  test('words that are not there are not highlighted, and the page is shown', async () => {
    const shown = await shownBy(() => openPlace({ uri: pdf().toString(), page: 2, quote: 'never written' }));
    assert.equal(shown.page, 2);
    assert.equal(shown.words, undefined);
  });

  test('a page that is not there is the last one', async () => {
    const shown = await shownBy(() => openPlace({ uri: pdf().toString(), page: 99 }));
    assert.equal(shown.page, 3);
  });

  test('a PDF is opened by whatever opens it, unless a place in it is meant', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('vscode.open', pdf());
    const tab = shownTab();
    assert.ok(!(tab instanceof vscode.TabInputCustom && tab.viewType === 'lens.pdf'));
  });

  test('a place in another document is in its text, the exact words selected', async () => {
    await openPlace({ uri: notebook().toString(), quote: CELL });
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    assert.equal(editor.document.uri.scheme, 'lens-text');
    assert.equal(editor.document.getText(editor.selection), CELL);
  });

  test('the text is read again when its document changes', async () => {
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document);
    const bytes = Buffer.from(await vscode.workspace.fs.readFile(notebook())).toString();
    await vscode.workspace.fs.writeFile(notebook(), Buffer.from(bytes.replace('40 EUR', '50 EUR')));
    await until(vscode.workspace.onDidChangeTextDocument, () => document.getText().includes('50 EUR'));
  });

  test('a citation leads to the page with the words highlighted: its link, F12, its reference', async () => {
    const { client: lens } = await extension().activate();
    const scope = { folders: [inWorkspace('papers').toString()] };
    const asked = await lens.ask({ question: 'When was the keel of the Arlen ferry laid?', scope });
    assert.ok(asked.answerUri);
    const [proof] = asked.evidence;
    assert.equal(proof?.uri, pdf().toString());
    const document = await vscode.workspace.openTextDocument(
      vscode.Uri.parse(asked.answerUri).with({ scheme: 'lens-answer' }),
    );
    // Where the question was asked before, its document is open already and is replaced now.
    await until(vscode.workspace.onDidChangeTextDocument, () => document.getText().includes('ferry.pdf'));
    const at = document.positionAt(document.getText().indexOf('[^q') + 2);

    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document.uri,
      100,
    );
    const target = links.find(({ range, target }) => range.contains(at) && target?.scheme === 'command')?.target;
    assert.equal(target?.path, 'lens.openPlace');
    const linked = await shownBy(() => openPlace(JSON.parse(target.query)[0]));
    assert.deepEqual([linked.page, squashed(linked.words ?? '')], [3, squashed(proof.quote)]);

    const defined = await vscode.commands.executeCommand<unknown[]>(
      'vscode.executeDefinitionProvider',
      document.uri,
      at,
    );
    assert.deepEqual(defined, [], 'Ctrl+click would show the text over the page');

    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(at, at);
    const gone = await shownBy(() => vscode.commands.executeCommand('lens.showPassage'));
    assert.deepEqual([gone.page, squashed(gone.words ?? '')], [3, squashed(proof.quote)]);

    const heading = document.positionAt(document.getText().indexOf('# When'));
    const found = await vscode.commands.executeCommand<vscode.Location[]>(
      'vscode.executeReferenceProvider',
      document.uri,
      heading,
    );
    // The editor's own support of Markdown tells where the heading itself stands.
    const referred = found.find(({ uri }) => uri.toString() !== document.uri.toString());
    assert.ok(referred);
    const text = await vscode.workspace.openTextDocument(referred.uri);
    assert.equal(text.getText(referred.range), proof.quote);
  });

  test('a place that is no file is not opened', async () => {
    for (const uri of ['https://models.example/a.pdf', 'command:workbench.action.quit', 'untitled:a.pdf']) {
      assert.equal(await openPlace({ uri, page: 1 }), false);
    }
    assert.equal(await openPlace({}), false);
  });
});
