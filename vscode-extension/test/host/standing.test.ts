import * as assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import type { Readiness } from '../../src/standing/readiness';
import { client, extension, QUESTION, until } from './window';

const { Global } = vscode.ConfigurationTarget;

/** A port of this machine where nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function model(baseUrl: string | undefined, name: string | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('lens');
  await configuration.update('model.baseUrl', baseUrl, Global);
  await configuration.update('model.name', name, Global);
}

suite('The standing', () => {
  teardown(() => model(undefined, undefined));

  test('goes from offline to unreachable and back, and the question is answered all the same', async () => {
    const lens = await client();
    const { standings } = await extension().activate();
    await lens.request('lens/status', {});
    const come = (state: Readiness) => until(standings.onDidChange, () => standings.now.is === state);
    await come('offline');
    const seen: Readiness[] = [];
    const listening = standings.onDidChange(({ is }) => seen.push(is));
    await model(`http://127.0.0.1:${await closedPort()}/v1`, 'nobody');
    await come('ready');
    assert.ok(seen.includes('settingUp'), 'the server is started anew');
    const answer = await lens.ask({ question: QUESTION });
    assert.equal(answer.stopped, 'model-failed');
    assert.ok(answer.evidence.length > 0, 'it is answered without the model');
    await come('unreachable');
    assert.equal(standings.now.acts.at(-1)?.command, 'chooseModel');
    await model(undefined, undefined);
    await come('offline');
    listening.dispose();
  });

  test('a program that is not there is told, and another one answers', async () => {
    const lens = await client();
    const { standings } = await extension().activate();
    const configuration = vscode.workspace.getConfiguration('lens');
    try {
      await configuration.update('path', '/nowhere/lens', Global);
      await until(standings.onDidChange, () => standings.now.also?.includes('/nowhere/lens') === true);
      assert.ok((await lens.ask({ question: QUESTION })).evidence.length > 0);
    } finally {
      await configuration.update('path', undefined, Global);
    }
    await until(standings.onDidChange, () => standings.now.also === null);
  });
});
