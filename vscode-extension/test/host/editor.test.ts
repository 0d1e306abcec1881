import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AnswerResult } from '../../src/protocol/answer';
import { client, inWorkspace, PROOF, QUESTION, SOURCE, until } from './window';

/** The answer that is read in an editor now. */
function answerShown(): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => /^\/.*\/answers\/.*\.md$/.test(document.uri.path));
}

/** Where the answer is read to a question that the view is told to ask. */
async function answered(question: string): Promise<vscode.Uri> {
  const lens = await client();
  let answer: AnswerResult | undefined;
  const listening = lens.onDidAnswer((result) => {
    answer = result;
  });
  try {
    await vscode.commands.executeCommand('lens.ask', { question });
    const { answerUri } = await until(lens.onDidAnswer, () => answer);
    assert.ok(answerUri);
    return vscode.Uri.parse(answerUri).with({ scheme: 'lens-answer' });
  } finally {
    listening.dispose();
  }
}

/** Asks, and opens the answer in an editor. */
async function ask(question: string): Promise<vscode.TextEditor> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await vscode.commands.executeCommand('lens.openAnswer', await answered(question));
  return until(vscode.window.onDidChangeVisibleTextEditors, answerShown);
}

suite('Commands', () => {
  test('a question is answered in the view, and nothing is opened over what is read', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.window.showTextDocument(inWorkspace(SOURCE));
    await answered(QUESTION);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.equal(tabs.length, 1);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), inWorkspace(SOURCE).toString());
  });

  test('an answer is opened beside what is read', async () => {
    const document = await answered(QUESTION);
    await vscode.commands.executeCommand('lens.openAnswer', document);
    const answer = await until(vscode.window.onDidChangeVisibleTextEditors, answerShown);
    assert.equal(answer.document.uri.toString(), document.toString());
    assert.equal(answer.viewColumn, vscode.ViewColumn.Two);
  });

  test('an answer is copied as Markdown that says where it comes from', async () => {
    const answer = await ask(QUESTION);
    await vscode.env.clipboard.writeText('');
    await vscode.commands.executeCommand('lens.copyAnswer', answer.document.uri);
    const copied = await vscode.env.clipboard.readText();
    assert.ok(copied.includes(PROOF));
    assert.ok(copied.includes('enquiry-desk.md'));
    assert.doesNotMatch(copied, /^---\nlens:/);
  });

  test('an answer is put into the note that was open before', async () => {
    const note = inWorkspace('index.md');
    const before = (await vscode.workspace.openTextDocument(note)).getText();
    const answer = await ask(QUESTION);
    await vscode.window.showTextDocument(note, { viewColumn: vscode.ViewColumn.One });
    await vscode.commands.executeCommand('lens.insertAnswer', answer.document.uri);
    const document = await vscode.workspace.openTextDocument(note);
    await until(vscode.workspace.onDidChangeTextDocument, () => document.getText().includes('<!-- lens:begin'));
    assert.ok(document.getText().includes(PROOF));
    await vscode.commands.executeCommand('workbench.action.files.revert');
    assert.equal(document.getText(), before);
  });

  test('the marks of cited passages can be switched off and on', async () => {
    const settings = () => vscode.workspace.getConfiguration('lens').get('decorations');
    const before = settings();
    await vscode.commands.executeCommand('lens.toggleDecorations');
    assert.equal(settings(), !before);
    await vscode.commands.executeCommand('lens.toggleDecorations');
    assert.equal(settings(), before);
  });

  test('the evidence of an answer is listed, and the list is walked through', async () => {
    const answer = await ask(QUESTION);
    await vscode.commands.executeCommand('lens.showEvidence', answer.document.uri);
    await vscode.window.showTextDocument(answer.document, { preview: false });
    await vscode.commands.executeCommand('references-view.next');
    const editor = await until(vscode.window.onDidChangeActiveTextEditor, () => {
      const now = vscode.window.activeTextEditor;
      return now?.document.uri.toString() === inWorkspace(SOURCE).toString() && now;
    });
    const { document, selection } = editor;
    assert.ok(
      document
        .getText(new vscode.Range(selection.active, document.lineAt(selection.active).range.end))
        .startsWith(PROOF),
    );
  });

  test('the Lens view opens', async () => {
    await ask(QUESTION);
    await vscode.commands.executeCommand('lens.view.focus');
    await vscode.commands.executeCommand('lens.showSent');
  });

  test('a report names no file and no host', async () => {
    await vscode.commands.executeCommand('lens.copyDiagnostics');
    const report = await vscode.env.clipboard.readText();
    assert.equal(JSON.parse(report).server.state, 'running');
    assert.ok(!report.includes(inWorkspace('').fsPath) && !report.includes('127.0.0.1'), report);
  });

  test('what a folder excludes is searched no more', async () => {
    const lens = await client();
    const settings = vscode.workspace.getConfiguration('lens');
    const sources = async () =>
      (await lens.find({ query: 'questions run at a time and wait' })).evidence.map(({ path }) => path);
    assert.ok((await sources()).includes(SOURCE));
    await settings.update('exclude', ['service/'], vscode.ConfigurationTarget.Workspace);
    try {
      assert.ok(!(await sources()).includes(SOURCE));
    } finally {
      await settings.update('exclude', undefined, vscode.ConfigurationTarget.Workspace);
    }
    assert.ok((await sources()).includes(SOURCE));
  });

  test('a workspace cannot say which program is the server', async () => {
    const settings = vscode.workspace.getConfiguration('lens');
    for (const name of ['path', 'interpreter', 'model.baseUrl', 'model.name']) {
      const setting = settings.update(name, '/nowhere', vscode.ConfigurationTarget.Workspace);
      await assert.rejects(Promise.resolve(setting), `lens.${name} can be set by a workspace`);
    }
  });
});
