import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import type { ClientState } from '../../src/client';
import type { AnswerResult } from '../../src/protocol/answer';
import type { LensEvent } from '../../src/protocol/events';
import { client, inWorkspace, PROOF, QUESTION, SOURCE, until } from './window';

/** The process of the server. */
function server(): number {
  const told = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' });
  const line = told.split('\n').find((each) => each.includes('lens_lsp'));
  assert.ok(line, 'no server runs');
  return Number.parseInt(line, 10);
}

suite('The client', () => {
  test('starts the server at the first question and answers with the exact place', async () => {
    const lens = await client();
    const states: ClientState[] = [];
    const listening = lens.onDidChangeState((state) => states.push(state));
    const result = await lens.ask({ question: QUESTION });
    listening.dispose();
    assert.deepEqual(states, ['starting', 'running']);
    assert.equal(result.status, 'answered');
    const [evidence] = result.evidence;
    assert.ok(evidence?.uri && evidence.range);
    assert.equal(evidence.uri, inWorkspace(SOURCE).toString());
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(evidence.uri));
    const { start, end } = evidence.range;
    assert.equal(document.getText(new vscode.Range(start.line, start.character, end.line, end.character)), PROOF);
  });

  test('tells each question its own events', async () => {
    const lens = await client();
    const heard: LensEvent[][] = [[], []];
    await Promise.all([
      lens.ask({ question: 'What is written to disk?', mode: 'evidence' }, (event) => heard[0]?.push(event)),
      lens.ask({ question: 'Which editors are there?', mode: 'evidence' }, (event) => heard[1]?.push(event)),
    ]);
    for (const [at, words] of ['What is written to disk?', 'Which editors are there?'].entries()) {
      const planned = heard[at]?.filter((event) => event.type === 'planned') ?? [];
      assert.deepEqual(
        planned.map((event) => event.plan.question),
        [words],
      );
      assert.equal(heard[at]?.at(-1)?.type, 'stopped');
      assert.equal(new Set(heard[at]?.map((event) => event.token)).size, 1);
    }
  });

  test('tells of an answer once, and of a dry run never', async () => {
    const lens = await client();
    const answers: AnswerResult[] = [];
    const listening = lens.onDidAnswer((answer) => answers.push(answer));
    await lens.ask({ question: QUESTION, dryRun: true });
    await lens.ask({ question: QUESTION });
    listening.dispose();
    assert.deepEqual(
      answers.map((answer) => answer.question),
      [QUESTION],
    );
  });

  test('finds passages', async () => {
    const found = await (await client()).find({ query: 'questions run at a time', limit: 3 });
    assert.ok(found.evidence.length > 0 && found.evidence.length <= 3);
    assert.ok(found.evidence.some((each) => each.uri === inWorkspace(SOURCE).toString()));
  });

  test('searches the folder that is named, and no other', async () => {
    const folders = [inWorkspace('guides').toString()];
    const found = await (await client()).find({ query: 'questions run at a time', scope: { folders } });
    assert.ok(found.evidence.length > 0);
    for (const { uri } of found.evidence) {
      assert.ok(uri?.startsWith(`${folders[0]}/`), `${uri} lies elsewhere`);
    }
  });

  test('a cancelled question is answered by a cancellation, and the next one as ever', async () => {
    const lens = await client();
    const source = new vscode.CancellationTokenSource();
    const asking = lens.ask({ question: 'What does the watcher watch?' }, () => source.cancel(), source.token);
    await assert.rejects(asking, vscode.CancellationError);
    assert.equal((await lens.ask({ question: QUESTION })).status, 'answered');
  });

  test('a question that cannot be asked is told in the words of the server', async () => {
    const lens = await client();
    const scope = { folders: ['file:///nowhere/outside'] };
    await assert.rejects(lens.ask({ question: QUESTION, scope }), { name: 'Failure' });
    await assert.rejects(lens.request('lens/nothing', {}), { name: 'Failure' });
  });

  test('restarts that come together are one', async () => {
    const lens = await client();
    await lens.request('lens/status', {});
    const before = server();
    let starts = 0;
    const listening = lens.onDidChangeState((state) => {
      starts += state === 'starting' ? 1 : 0;
    });
    await Promise.all(['one', 'two', 'three', 'four'].map((reason) => lens.restart(reason)));
    await lens.request('lens/status', {});
    listening.dispose();
    assert.ok(starts >= 1 && starts <= 2, `${starts} starts`);
    assert.notEqual(server(), before);
  });

  test('a server that was killed is started again', async () => {
    const lens = await client();
    await lens.request('lens/status', {});
    const killed = server();
    process.kill(killed, 'SIGKILL');
    let gone = false;
    await until(lens.onDidChangeState, () => {
      gone ||= lens.state !== 'running';
      return gone && lens.state === 'running';
    });
    assert.notEqual(server(), killed);
    assert.equal((await lens.ask({ question: QUESTION })).status, 'answered');
  });
});
