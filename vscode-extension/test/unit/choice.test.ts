import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { usedAmong } from '../../src/model/choice';

describe('the model in use, among those that can be chosen', () => {
  const none = { baseUrl: '', name: '' };
  const local = { baseUrl: 'http://localhost:11434/v1', name: 'small' };
  const editors = { baseUrl: '', name: 'editor:family' };
  const choices = [
    none,
    undefined,
    local,
    { ...local, name: 'large' },
    undefined,
    editors,
    undefined,
    'address',
  ] as const;

  it('is that of the same address and name', () => {
    assert.equal(usedAmong(choices, local), 2);
    assert.equal(usedAmong(choices, editors), 5);
    assert.equal(usedAmong(choices, none), 0);
  });

  it('stands behind the endpoints where the list does not name it', () => {
    assert.equal(usedAmong(choices, { baseUrl: 'https://models.example/v1', name: 'small' }), 7);
    assert.equal(usedAmong(choices, { baseUrl: '', name: 'editor:gone' }), -1);
  });
});
