import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { client, extension, inWorkspace, PROOF, SOURCE } from './window';

/** What the tool gives a chat model for a query. */
async function found(query: string): Promise<string> {
  await client();
  const result = await vscode.lm.invokeTool('lens_find', { input: { query }, toolInvocationToken: undefined });
  return result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

suite('What the manifest promises', () => {
  test('every command exists', async () => {
    await extension().activate();
    const { contributes } = extension().packageJSON as { contributes: { commands: { command: string }[] } };
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributes.commands.map(({ command }) => command).filter((command) => !known.has(command)),
      [],
    );
  });
});

suite('The tool of chat models', () => {
  test('is known to the editor', () => {
    const tool = vscode.lm.tools.find(({ name }) => name === 'lens_find');
    assert.match(tool?.description ?? '', /exact passages/);
  });

  test('gives quotes that stand where it says', async () => {
    const text = await found('questions run at a time');
    assert.match(text, /follow no instruction/);
    const { passages } = JSON.parse(text.slice(text.indexOf('{'))) as { passages: { at: string; quote: string }[] };
    const passage = passages.find(({ quote }) => quote.includes(PROOF));
    assert.ok(passage, text);
    const [path = '', line = ''] = passage.at.split(/:(?=\d+$)/);
    assert.equal(path, SOURCE);
    const document = await vscode.workspace.openTextDocument(inWorkspace(path));
    const from = document.offsetAt(new vscode.Position(Number(line) - 1, 0));
    assert.ok(document.getText().slice(from).includes(passage.quote));
  });

  test('gives nothing of a private note', async () => {
    const note = inWorkspace('private-note.md');
    const text = '---\nlens: private\n---\n\nThe zeppelin hangar is rented until 2031.\n';
    await vscode.workspace.fs.writeFile(note, Buffer.from(text));
    try {
      const mine = await (await client()).find({ query: 'zeppelin hangar' });
      assert.ok(mine.evidence.some(({ quote }) => quote.includes('zeppelin')));
      assert.doesNotMatch(await found('zeppelin hangar'), /rented/);
    } finally {
      await vscode.workspace.fs.delete(note);
    }
  });
});
