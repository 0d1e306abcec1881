/** What people are told of each state: a word, a sentence, a picture and the button that helps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WindowGrounds } from '../../../src/standing/standing';
import { standIn } from '../chat/standIn';
import { JUDGE, READY as WITH_MODEL } from './grounds';

standIn();
const { COMMANDS, ICONS, NO_PYTHON, standingOf, WRONG_SETTING } =
  require('../../../src/standing/standing') as typeof import('../../../src/standing/standing');

const READY: WindowGrounds = {
  ...WITH_MODEL,
  told: null,
  failure: undefined,
  trusted: true,
  instead: null,
  unread: null,
};
const OFFLINE = { ...READY, judge: { ...JUDGE, endpoint: null, model: null, consent: null, mode: 'evidence' } };

/** The state, what is said, and the commands of the buttons. */
function told(grounds: Partial<WindowGrounds>) {
  const { is, name, says, acts } = standingOf({ ...READY, ...grounds });
  assert.ok(name && says && ICONS[is], 'every state has a word, a sentence and a picture');
  for (const { label, command } of acts) {
    assert.ok(label && COMMANDS[command], 'every button has words and a command');
  }
  return [is, says, acts.map(({ command }) => command)];
}

test('each state says what is the case, and has the button that helps', () => {
  assert.deepEqual(told({}), ['ready', 'm at models.example words the answer from short passages.', ['chooseModel']]);
  assert.deepEqual(told({ server: 'starting', told: 'package 3 of 30' }), ['settingUp', 'package 3 of 30', ['log']]);
  assert.deepEqual(told({ modelFailed: true }), [
    'unreachable',
    'models.example did not answer. Questions are answered on this machine until it does.',
    ['chooseModel'],
  ]);
  assert.deepEqual(told(OFFLINE), [
    'offline',
    'No model is set: answers are found on this machine, and nothing leaves it.',
    ['chooseModel'],
  ]);
  assert.deepEqual(told({ server: 'waiting' }), ['needsYou', 'Lens has to be set up once on this machine.', ['setUp']]);
});

test('what needs the user is named, with the button for it', () => {
  assert.deepEqual(told({ asked: true }), ['needsYou', 'Lens waits for your answer.', ['show']]);
  const failed = { server: 'failed', told: 'because' } as const;
  assert.deepEqual(told(failed), ['needsYou', 'because', ['setUp', 'log']]);
  assert.deepEqual(told({ ...failed, failure: NO_PYTHON }), ['needsYou', 'because', ['python', 'setUp']]);
  assert.deepEqual(told({ ...failed, failure: WRONG_SETTING }), ['needsYou', 'because', ['setUp', 'settings']]);
});

test('whether anything leaves the machine is said', () => {
  const [, local] = told({ judge: { ...JUDGE, endpoint: 'http://127.0.0.1:1', consent: 'local' } });
  assert.equal(local, 'm on this machine words the answer. Nothing leaves it.');
  const [, first] = told({ judge: { ...JUDGE, consent: 'missing' } });
  assert.match(String(first), /You are asked before the first passage goes to models\.example\.$/);
});

test('a folder that is not trusted says why no model is asked', () => {
  const [is, says, acts] = told({ ...OFFLINE, trusted: false });
  assert.deepEqual([is, acts], ['offline', ['trust']]);
  assert.match(String(says), /not trusted/);
});

test('a wrong setting keeps nobody from an answer: what runs instead is said', () => {
  const { is, also } = standingOf({ ...OFFLINE, instead: 'lens.path names no program.' });
  assert.deepEqual([is, also], ['offline', 'lens.path names no program.']);
  assert.equal(standingOf(OFFLINE).also, null);
});

test('documents are offered where a question met some, and not before', () => {
  assert.deepEqual(told(OFFLINE)[2], ['chooseModel']);
  const met = { ...OFFLINE, unread: { documents: 3, megabytes: 10 } };
  assert.deepEqual(told(met)[2], ['readDocuments', 'chooseModel']);
  assert.equal(standingOf(met).acts[0]?.label, 'Read documents too (10 MB)');
  assert.deepEqual(told({ ...met, server: 'starting' })[2], ['log']);
});
