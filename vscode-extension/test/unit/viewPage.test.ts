import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewPage } from '../../src/views/page';

const PAGE = viewPage({
  nonce: 'abc',
  source: 'https://own.example',
  script: 'https://own.example/page.js',
  styles: ['https://own.example/page.css', 'https://own.example/"><script>alert(1)</script>.css'],
  language: 'en"><img src=x>',
});
const POLICY = /content="([^"]*)"/
  .exec(PAGE.slice(PAGE.indexOf('Content-Security-Policy')))?.[1]
  ?.replaceAll('&#39;', "'");

test('the page loads nothing but its own script and styles', () => {
  assert.deepEqual(POLICY?.split('; '), [
    "default-src 'none'",
    "script-src 'nonce-abc'",
    'style-src https://own.example',
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test('what it is made of cannot add to it', () => {
  assert.equal(PAGE.match(/<script/g)?.length, 1);
  assert.ok(!PAGE.includes('<img') && !PAGE.includes('alert(1)</script>'));
});
