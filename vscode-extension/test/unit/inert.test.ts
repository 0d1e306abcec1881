import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marked, type Token } from 'marked';
import { inertMarkdown, printable, withoutLinks } from '../../src/inert';

/** What would do something where Markdown is rendered, and how it looks when it is only shown. */
const LIVE = [
  ['![x](https://evil.example/p.png)', '\\![x]\\(https\\://evil.example/p.png)'],
  ['[click](command:workbench.action.quit)', '[click]\\(command:workbench.action.quit)'],
  ['<img src=x onerror=alert(1)>', '\\<img src\\=x onerror=alert(1)>'],
  ['</div><!-- x --><?php', '\\</div>\\<\\!-- x -->\\<?php'],
  ['<https://evil.example>', '\\<https\\://evil.example>'],
  ['see https://evil.example/x', 'see https\\://evil.example/x'],
  ['www.evil.example', 'www\\.evil.example'],
  ['me@evil.example', 'me\\@evil.example'],
  ['[ref]: https://evil.example', '[ref]\\: https\\://evil.example'],
  ['&#60;b&#62; &lt;b>', '\\&#60;b\\&#62; \\&lt;b>'],
] as const;

for (const [written, shown] of LIVE) {
  test(`${written} does nothing`, () => {
    assert.equal(withoutLinks(written), shown.replace('\\<\\!--', '\\<!--'));
  });
}

test('what is harmless already stays as it is, and an escaped backslash hides nothing', () => {
  assert.equal(withoutLinks('\\![x]\\(y)'), '\\![x]\\(y)');
  assert.equal(withoutLinks('\\\\![x]'), '\\\\\\![x]');
});

test('prose, citations and formatting stay as they are', () => {
  const prose = '> It **ends** in 2031. [1][2]\n\n* a < b, a & b, 3:30, `code`\n';
  assert.equal(withoutLinks(prose), prose);
});

test('a line of text is shown as it is, whatever it says', () => {
  const text = '# [a](b) *c* _d_ `e` <f> ![g] | ~h~ & $(i) www.j.example k@l.example http://m \\';
  assert.equal(inertMarkdown(text).replace(/\\([\\`*_{}[\]<>#|~!&$:@.])/g, '$1'), text);
  assert.deepEqual(active(inertMarkdown(text)), []);
});

test('a line of text is one line', () => {
  assert.equal(inertMarkdown(' a\r\n\n- b\tc '), 'a - b c');
});

test('characters that steer what shows them are gone', () => {
  assert.equal(printable('a\u001b[31m\u202eb\u2066c\u0000\u{e0041}d\r\ne\tf\n'), 'a[31mbcd\ne\tf\n');
});

/** What would do something in a rendered text; `marked` is what the editor renders Markdown with. */
function active(markdown: string): string[] {
  const found: string[] = [];
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (['link', 'image', 'html', 'def'].includes(token.type)) {
      found.push(`${token.type}: ${token.raw}`);
    }
  });
  return found;
}

/** Numbers below `most`, the same in every run (xorshift). */
function dice(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % most;
  };
}

const FRAGMENTS = [
  ...'[]()!<>\\`~:@&#*_-=|."\'/ \n\t1aé😀',
  ...[
    'http://e.x/',
    'HTTPS://e.x',
    'ftp://e.x',
    'www.e.x',
    'WWW.e.x',
    'm@e.x',
    '](',
    ']:',
    '![',
    '&#60;',
    '&lt;',
    '<b',
    '</b>',
  ],
  ...[
    '<!--',
    '-->',
    '<a href=x>',
    'command:x',
    'javascript:x',
    '[1]',
    '[a](b)',
    '[r][r]',
    '\n[r]: http://e.x\n',
    '\n\n',
    '    ',
    '```',
  ],
];

test('nothing is active in 20,000 texts made of what is', () => {
  const roll = dice(20261120);
  let control = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 1 + roll(14) }, () => FRAGMENTS[roll(FRAGMENTS.length)]).join('');
    control += active(text).length;
    assert.deepEqual(active(withoutLinks(text)), [], JSON.stringify(text));
    assert.deepEqual(active(inertMarkdown(text)), [], JSON.stringify(text));
  }
  assert.ok(control > 10_000, `as they are they hold ${control} active elements`);
});
