import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { Keys, originOf } from '../../src/model/keys';

function keys() {
  const kept = new Map<string, string>();
  const listeners: ((event: vscode.SecretStorageChangeEvent) => void)[] = [];
  const tell = (key: string): void => {
    for (const listener of listeners) {
      listener({ key });
    }
  };
  const secrets = {
    keys: async () => [...kept.keys()],
    get: async (key: string) => kept.get(key),
    store: async (key: string, value: string) => {
      kept.set(key, value);
      tell(key);
    },
    delete: async (key: string) => {
      kept.delete(key);
      tell(key);
    },
    onDidChange: (listener: (event: vscode.SecretStorageChangeEvent) => void) => {
      listeners.push(listener);
      return { dispose: () => {} };
    },
  };
  return { kept, tell, keys: new Keys(secrets as unknown as vscode.SecretStorage) };
}

test('a key is given for its origin, whatever the path, and for no other', async () => {
  const { keys: mine } = keys();
  await mine.set('https://models.example', 'secret');
  assert.equal(await mine.of('https://models.example/v1'), 'secret');
  assert.equal(await mine.of('https://models.example:443/other'), 'secret');
  for (const other of [
    'http://models.example',
    'https://models.example:8443',
    'https://models.example.evil.test',
    '',
  ]) {
    assert.equal(await mine.of(other), undefined);
  }
});

test('a removed key is gone', async () => {
  const { kept, keys: mine } = keys();
  await mine.set('https://models.example', 'secret');
  await mine.remove('https://models.example');
  assert.equal(kept.size, 0);
});

test('changes of keys are told, and of other secrets not', async () => {
  const { tell, keys: mine } = keys();
  let told = 0;
  mine.onDidChange(() => {
    told += 1;
  });
  tell('another extension');
  assert.equal(told, 0);
  await mine.set('https://models.example', 'secret');
  assert.equal(told, 1);
});

test('an origin is of http or https only', () => {
  assert.equal(originOf('https://user:word@models.example/v1?x#y'), 'https://models.example');
  for (const none of ['file:///etc/passwd', 'models.example', 'javascript:alert(1)', 'editor']) {
    assert.equal(originOf(none), undefined);
  }
});
