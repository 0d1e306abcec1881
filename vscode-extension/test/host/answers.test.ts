import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { client, inWorkspace, PROOF, QUESTION, replace, SOURCE, until } from './window';

const HOSTILE = [
  '# Ferries',
  '',
  'The keel of the Arlen ferry was laid on 4 May 1931 ![pixel](http://127.0.0.1:9/image.png)',
  '[open](command:workbench.action.terminal.new) <a href="command:workbench.action.quit">quit</a>',
  '<img src="http://127.0.0.1:9/html.png"> http://127.0.0.1:9/bare <http://127.0.0.1:9/auto>',
  '[code](vscode://file/etc/passwd) [js](javascript:alert(1)) www.lens.invalid a@lens.invalid [ref][1]',
  '',
  '[1]: http://127.0.0.1:9/definition',
].join('\n');

/** The answer to the question as it is read, and where its citation stands in it. */
async function answer(): Promise<{ document: vscode.TextDocument; citation: vscode.Position }> {
  const result = await (await client()).ask({ question: QUESTION });
  assert.ok(result.answerUri);
  const uri = vscode.Uri.parse(result.answerUri).with({ scheme: 'lens-answer' });
  const document = await vscode.workspace.openTextDocument(uri);
  const citation = document.positionAt(document.getText().indexOf('[^q') + 2);
  return { document, citation };
}

/** The exact place of the proof in its source. */
async function proof(): Promise<vscode.Location> {
  const document = await vscode.workspace.openTextDocument(inWorkspace(SOURCE));
  const at = document.getText().indexOf(PROOF);
  return new vscode.Location(
    document.uri,
    new vscode.Range(document.positionAt(at), document.positionAt(at + PROOF.length)),
  );
}

function same(location: vscode.Location | undefined, other: vscode.Location): void {
  assert.ok(location);
  assert.equal(location.uri.toString(), other.uri.toString());
  assert.ok(location.range.isEqual(other.range), 'another range');
}

suite('An answer as a document', () => {
  test('is the file of the answer, and cannot be written', async () => {
    const { document } = await answer();
    assert.match(document.getText(), /^---\nlens: answer\/2\n/);
    assert.ok(document.getText().includes(PROOF));
    assert.equal(vscode.workspace.fs.isWritableFileSystem('lens-answer'), false);
    await assert.rejects(Promise.resolve(vscode.workspace.fs.writeFile(document.uri, Buffer.from('x'))));
    await assert.rejects(Promise.resolve(vscode.workspace.fs.delete(document.uri)));
  });

  test('opens no file that is no answer', async () => {
    const uri = inWorkspace(SOURCE).with({ scheme: 'lens-answer' });
    await assert.rejects(Promise.resolve(vscode.workspace.openTextDocument(uri)));
  });

  test('its citation is defined by the exact words in the source', async () => {
    const { document, citation } = await answer();
    const found = await vscode.commands.executeCommand<vscode.Location[]>(
      'vscode.executeDefinitionProvider',
      document.uri,
      citation,
    );
    same(found[0], await proof());
  });

  test('a hover of its citation shows the quote, and nothing that acts', async () => {
    const { document, citation } = await answer();
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      citation,
    );
    const contents = hovers.flatMap((hover) => hover.contents) as vscode.MarkdownString[];
    const texts = contents.map((each) => each.value.replaceAll('&nbsp;', ' '));
    assert.ok(
      texts.some((each) => each.includes('four wait')),
      texts.join(),
    );
    for (const each of contents) {
      assert.ok(!each.isTrusted && !each.supportHtml);
    }
  });

  test('its references are its evidence', async () => {
    const { document } = await answer();
    const heading = document.positionAt(document.getText().indexOf(`# ${QUESTION}`));
    const found = await vscode.commands.executeCommand<vscode.Location[]>(
      'vscode.executeReferenceProvider',
      document.uri,
      heading,
    );
    const wanted = await proof();
    same(
      found.find(({ uri }) => uri.toString() === wanted.uri.toString()),
      wanted,
    );
  });

  test('its links lead where its citations lead', async () => {
    const { document } = await answer();
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document.uri,
      100,
    );
    const { range } = await proof();
    const fragment = `L${range.start.line + 1},${range.start.character + 1}`;
    assert.ok(links.some(({ target }) => target?.fragment.startsWith(fragment)));
  });

  test('says so when its source no longer does, and no more when it does again', async () => {
    const { document } = await answer();
    await vscode.window.showTextDocument(document, { preview: false });
    const drifted = () =>
      vscode.languages.getDiagnostics(document.uri).find(({ code }) => code === 'lens.citation-drifted');
    const changed = PROOF.replace('Four', 'Five');
    await replace(inWorkspace(SOURCE), PROOF, changed);
    try {
      await (await client()).request('lens/recheck', {});
      const found = await until(vscode.languages.onDidChangeDiagnostics, drifted);
      assert.equal(found.source, 'lens');
      assert.equal(found.severity, vscode.DiagnosticSeverity.Warning);
    } finally {
      await replace(inWorkspace(SOURCE), changed, PROOF);
    }
    await (await client()).request('lens/recheck', {});
    await until(vscode.languages.onDidChangeDiagnostics, () => drifted() === undefined);
  });

  test('no link of it leads anywhere but to files, whatever a note says', async () => {
    const note = inWorkspace('ferries.md');
    await vscode.workspace.fs.writeFile(note, Buffer.from(HOSTILE));
    try {
      const result = await (await client()).ask({ question: 'When was the keel of the Arlen ferry laid?' });
      assert.ok(result.answerUri && result.evidence[0]?.uri === note.toString());
      const uri = vscode.Uri.parse(result.answerUri).with({ scheme: 'lens-answer' });
      const document = await vscode.workspace.openTextDocument(uri);
      const schemes = async (of: vscode.Uri) => {
        const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
          'vscode.executeLinkProvider',
          of,
          100,
        );
        return new Set(links.map(({ target }) => target?.scheme ?? 'none'));
      };
      // Of what only looks like a link the editor makes paths beside the answer, where there is nothing.
      const own = new Set(['file', 'lens-answer']);
      assert.deepEqual(
        [...(await schemes(document.uri))].filter((scheme) => !own.has(scheme)),
        [],
      );
      await vscode.workspace.openTextDocument(note);
      assert.ok((await schemes(note)).has('command'), 'the note itself has links that act');
    } finally {
      await vscode.workspace.fs.delete(note);
    }
  });
});
