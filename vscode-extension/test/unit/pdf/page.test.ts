import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ViewerWords } from '../../../src/pdf/messages';
import { viewerPage } from '../../../src/pdf/page';

const HOSTILE = `"'><script src=https://lens.invalid></script>&`;
const words = new Proxy({} as ViewerWords, { get: () => HOSTILE, ownKeys: () => [] });
const page = viewerPage({
  nonce: 'abc',
  source: 'https://own.invalid',
  script: HOSTILE,
  style: HOSTILE,
  places: { worker: HOSTILE, characterMaps: HOSTILE, fonts: HOSTILE, decoders: HOSTILE },
  words,
  language: HOSTILE,
});

test('the page allows its own script and nothing of anybody else', () => {
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]?.replaceAll('&#39;', "'").split('; ');
  assert.deepEqual(policy, [
    "default-src 'none'",
    "script-src 'nonce-abc' 'wasm-unsafe-eval'",
    'style-src https://own.invalid',
    'worker-src blob:',
    'connect-src https://own.invalid',
    'font-src https://own.invalid',
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test('the policy comes before anything that it is for', () => {
  assert.ok(page.indexOf('Content-Security-Policy') < page.indexOf('<link'));
  assert.ok(page.indexOf('Content-Security-Policy') < page.indexOf('<script'));
});

test('no text that is put into the page is more than text', () => {
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.ok(!page.includes(HOSTILE));
  assert.doesNotMatch(page, /\s(style|on\w+)="/);
});
