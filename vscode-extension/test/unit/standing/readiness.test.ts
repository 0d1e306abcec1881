import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Grounds, readinessOf } from '../../../src/standing/readiness';
import { JUDGE, READY } from './grounds';

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

  it('does not wait for a server that starts when it is needed', () => {
    assert.equal(readinessOf({ ...READY, server: 'idle' }), 'ready');
    assert.equal(readinessOf({ ...READY, server: 'idle', judge: { ...JUDGE, endpoint: null } }), 'offline');
  });
});

/** What happens to a window, and the state that it comes to: every way from one state to another. */
const HAPPENS: readonly (readonly [string, Partial<Grounds>, string])[] = [
  ['nothing is set up', { server: 'waiting', judge: null }, 'needsYou'],
  ['the user is asked whether to set up', { asked: true }, 'needsYou'],
  ['and agrees', { asked: false, server: 'starting' }, 'settingUp'],
  ['the server runs without a model', { server: 'running', judge: { ...JUDGE, endpoint: null } }, 'offline'],
  ['a model is chosen, and the server started anew', { server: 'starting', judge: null }, 'settingUp'],
  ['the model judges', { server: 'running', judge: JUDGE }, 'ready'],
  ['a question waits for consent', { asked: true }, 'needsYou'],
  ['consent is given', { asked: false }, 'ready'],
  ['the model gives no answer', { modelFailed: true }, 'unreachable'],
  ['a question is asked about it', { asked: true }, 'needsYou'],
  ['and answered', { asked: false }, 'unreachable'],
  ['the server goes away', { server: 'gone' }, 'settingUp'],
  ['and comes back', { server: 'running' }, 'unreachable'],
  ['the model answers again', { modelFailed: false }, 'ready'],
  ['a setting is wrong', { judge: { ...JUDGE, endpoint: null, problem: 'no address' } }, 'unreachable'],
  ['the model is taken out of the settings', { judge: { ...JUDGE, endpoint: null } }, 'offline'],
  ['the server cannot be started any more', { server: 'failed' }, 'needsYou'],
  ['it is tried again', { server: 'starting' }, 'settingUp'],
  ['it runs', { server: 'running' }, 'offline'],
  ['what was installed is removed', { server: 'waiting', judge: null }, 'needsYou'],
];

describe('what happens to a window', () => {
  let now: Grounds = READY;
  for (const [happens, grounds, state] of HAPPENS) {
    it(`${happens}: ${state}`, () => {
      now = { ...now, ...grounds };
      assert.equal(readinessOf(now), state);
    });
  }

  it('has come to every state from every other that it can come from', () => {
    const states = HAPPENS.map(([, , state]) => state);
    const ways = new Set(states.slice(1).map((state, at) => `${states[at]} > ${state}`));
    assert.ok(ways.size >= 12, [...ways].join(', '));
    assert.deepEqual([...new Set(states)].sort(), ['needsYou', 'offline', 'ready', 'settingUp', 'unreachable']);
  });
});
