import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { Twins } from '../../src/twins';

function documentOf(scheme: string, text = ''): vscode.TextDocument {
  const uri = { scheme, path: '/answers/a.md', with: () => uriOf('file'), toString: () => `${scheme}:///answers/a.md` };
  const uriOf = (other: string) => ({ ...uri, scheme: other, toString: () => `${other}:///answers/a.md` });
  return { uri, languageId: 'markdown', version: 3, getText: () => text } as unknown as vscode.TextDocument;
}

/** Twins, and all that the server is told. */
function told() {
  const heard: string[] = [];
  const twins = new Twins('lens-answer');
  twins.attach(async (method, params) => {
    heard.push(`${method} ${JSON.stringify(params)}`);
  });
  const { didOpen, didChange, didClose } = twins.middleware;
  assert.ok(didOpen && didChange && didClose);
  return {
    heard,
    open: (document: vscode.TextDocument) =>
      didOpen(document, async (it) => void heard.push(`open ${it.uri.toString()}`)),
    change: (document: vscode.TextDocument) =>
      didChange({ document } as vscode.TextDocumentChangeEvent, async () => void heard.push('change')),
    close: (document: vscode.TextDocument) =>
      didClose(document, async (it) => void heard.push(`close ${it.uri.toString()}`)),
  };
}

test('one document is told as it is', async () => {
  const { heard, open, change, close } = told();
  const answer = documentOf('lens-answer');
  await open(answer);
  await change(answer);
  await close(answer);
  assert.deepEqual(heard, ['open lens-answer:///answers/a.md', 'change', 'close lens-answer:///answers/a.md']);
});

test('an answer whose file is open already is not opened again', async () => {
  const { heard, open, change, close } = told();
  const file = documentOf('file');
  const answer = documentOf('lens-answer');
  await open(file);
  await open(answer);
  await change(answer);
  await close(answer);
  await change(file);
  assert.deepEqual(heard, ['open file:///answers/a.md', 'change']);
});

test('the file takes the place of the answer, which comes back with its text when the file is closed', async () => {
  const { heard, open, close } = told();
  const file = documentOf('file');
  await open(documentOf('lens-answer', 'as it is read'));
  await open(file);
  await close(file);
  const name = 'file:///answers/a.md';
  assert.deepEqual(heard, [
    'open lens-answer:///answers/a.md',
    `textDocument/didClose {"textDocument":{"uri":"${name}"}}`,
    `open ${name}`,
    `close ${name}`,
    `textDocument/didOpen {"textDocument":{"uri":"${name}","languageId":"markdown","version":3,"text":"as it is read"}}`,
  ]);
});

test('an answer is called by its file', () => {
  const twins = new Twins('lens-answer');
  assert.equal(twins.nameOf(documentOf('lens-answer').uri), 'file:///answers/a.md');
  assert.equal(twins.nameOf(documentOf('untitled').uri), 'untitled:///answers/a.md');
});
