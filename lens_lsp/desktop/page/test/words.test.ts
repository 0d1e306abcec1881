import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { english } from '../src/words/en';
import { chinese } from '../src/words/zh';

/** Shown as they are in every language: names, keys, signs. */
const SAME = /^(Lens|–|navigation\.label|.*\.keys\.\d+\.0|name)$/;

function leaves(value: unknown, at = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) {
    return [[at, value]];
  }
  return Object.entries(value).flatMap(([key, each]) => leaves(each, at === '' ? key : `${at}.${key}`));
}

describe('what the page says', () => {
  const texts = leaves(english);
  const translated = new Map(leaves(chinese));

  it('is told in Chinese, all of it and nothing else', () => {
    assert.ok(texts.length > 200);
    assert.deepEqual([...translated.keys()].sort(), texts.map(([at]) => at).sort());
    for (const [at, text] of texts) {
      const other = translated.get(at);
      assert.equal(typeof other, typeof text, at);
      if (typeof text === 'string' && !SAME.test(at) && /\p{L}/u.test(text)) {
        assert.match(String(other), /\p{Script=Han}/u, at);
      }
    }
  });

  it('gives the reason why a citation cannot be checked', () => {
    const untrusted =
      'its source was not looked at: nothing that an answer names is read in a window that is not trusted';
    assert.equal(english.card.because(untrusted), untrusted);
    assert.match(chinese.card.because(untrusted), /不受信任/);
    assert.equal(chinese.card.because('another'), 'another');
    assert.match(english.card.because(null), /no reason/);
    assert.match(chinese.card.because(null), /\p{Script=Han}/u);
  });

  it('says in Chinese whether text on scans is recognised', () => {
    for (const [state, said] of Object.entries(chinese.settings.ocrStates)) {
      assert.match(said('X'), /^当前：[^A-Za-z]*(X|GB|PATH)/, state);
    }
  });
});
