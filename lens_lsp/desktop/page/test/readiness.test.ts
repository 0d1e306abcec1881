import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Grounds, readinessOf } from '../src/state/readiness';

const JUDGE = { endpoint: 'https://models.example', model: 'm', consent: 'given', mode: 'fast', problem: null };
const READY: Grounds = {
  connected: true,
  locked: false,
  server: 'running',
  serverSays: null,
  asked: false,
  judge: JUDGE,
  modelFailed: false,
};

describe('how ready Lens is', () => {
  it('is ready with a model that may be asked, and before it is known which', () => {
    assert.equal(readinessOf(READY), 'ready');
    assert.equal(readinessOf({ ...READY, judge: null }), 'ready');
  });

  it('searches without a model where none is configured or wanted', () => {
    assert.equal(readinessOf({ ...READY, judge: { ...JUDGE, endpoint: null } }), 'offline');
    assert.equal(readinessOf({ ...READY, judge: { ...JUDGE, mode: 'evidence' } }), 'offline');
  });

  it('says that the model cannot be reached where its settings are wrong, or where it failed', () => {
    const wrong = { ...JUDGE, endpoint: null, mode: 'evidence', problem: 'no address' };
    assert.equal(readinessOf({ ...READY, judge: wrong }), 'unreachable');
    assert.equal(readinessOf({ ...READY, modelFailed: true }), 'unreachable');
    assert.equal(readinessOf({ ...READY, modelFailed: true, judge: { ...JUDGE, endpoint: null } }), 'offline');
  });

  it('needs the user for whatever waits for them, whatever else is the case', () => {
    for (const grounds of [{ asked: true }, { locked: true }, { server: 'waiting' }, { server: 'failed' }] as const) {
      assert.equal(readinessOf({ ...READY, connected: false, modelFailed: true, ...grounds }), 'needsYou');
    }
  });

  it('gets ready while something starts by itself', () => {
    assert.equal(readinessOf({ ...READY, server: 'starting' }), 'settingUp');
    assert.equal(readinessOf({ ...READY, server: 'gone' }), 'settingUp');
    assert.equal(readinessOf({ ...READY, connected: false }), 'settingUp');
  });
});
