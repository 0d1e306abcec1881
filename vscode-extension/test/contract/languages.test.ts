/** English and Simplified Chinese: every text that people read exists in both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesIn, jsonOf, textOf } from './files';

type Texts = Readonly<Record<string, string>>;

const ENGLISH = jsonOf<Texts>('package.nls.json');
const CHINESE = jsonOf<Texts>('package.nls.zh-cn.json');
const BUNDLE = jsonOf<Texts>('l10n/bundle.l10n.zh-cn.json');
const MANIFEST = textOf('package.json');
const HAN = /\p{Script=Han}/u;

/** Shown as they are in every language. */
const NAMES = new Set(['Lens']);

const CALL = /l10n\.t\(\s*(?:\{\s*message:\s*)?('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`)\s*[,)]/g;

/** The texts that the code says, and where. Each is a plain literal: others could not be translated. */
function said(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of filesIn('src', '.ts')) {
    const source = textOf(file);
    const calls = [...source.matchAll(CALL)];
    assert.equal(calls.length, source.match(/l10n\.t\(/g)?.length ?? 0, `${file}: a text that is no plain literal`);
    for (const [, literal = ''] of calls) {
      found.set(
        literal.slice(1, -1).replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
        file,
      );
    }
  }
  return found;
}

function placeholders(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort();
}

/** Where the links of a text lead. */
function targets(text: string): string[] {
  return (text.match(/\]\([^)]*\)|`#[^`]+#`/g) ?? []).sort();
}

function assertTranslated(text: string, translated: string | undefined, where: string): void {
  assert.ok(translated, `${where}: not translated: ${text}`);
  const words = text.replace(/\{\w+\}|Lens/g, '');
  assert.ok(!/\p{L}/u.test(words) || HAN.test(translated), `${where}: not Chinese: ${translated}`);
  assert.deepEqual([...new Set(placeholders(translated))], [...new Set(placeholders(text))], `${where}: ${text}`);
}

test('every key of the manifest has a text, and every text a key', () => {
  const keys = [...MANIFEST.matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key);
  assert.ok(keys.length > 60);
  assert.deepEqual([...new Set(keys)].sort(), Object.keys(ENGLISH).sort());
});

/** What people read in the manifest. What a model reads (`modelDescription`, `inputSchema`) is English everywhere. */
function shown(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    return /^(title|displayName|contextualTitle|.*[dD]escription)$/.test(key) && key !== 'modelDescription'
      ? [value]
      : [];
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, each]) => (name === 'inputSchema' ? [] : shown(each, name)));
}

test('no text that people read stands in the manifest as it is', () => {
  const texts = shown(JSON.parse(MANIFEST));
  assert.ok(texts.length > 50);
  assert.deepEqual(
    texts.filter((text) => !/^%.+%$/.test(text) && !NAMES.has(text)),
    [],
  );
});

test('the manifest is told in Chinese', () => {
  assert.deepEqual(Object.keys(CHINESE).sort(), Object.keys(ENGLISH).sort());
  for (const [key, text] of Object.entries(ENGLISH)) {
    assertTranslated(text, CHINESE[key], key);
    assert.deepEqual(targets(CHINESE[key] ?? ''), targets(text), `${key}: other links`);
  }
});

test('what the code says is told in Chinese', () => {
  const texts = said();
  assert.ok(texts.size > 20);
  assert.deepEqual(
    [...texts.keys()].filter((text) => !(text in BUNDLE)),
    [],
  );
  for (const [text, file] of texts) {
    assertTranslated(text, BUNDLE[text], file);
  }
});

test('nothing is translated that nobody says', () => {
  const texts = said();
  assert.deepEqual(
    Object.keys(BUNDLE).filter((text) => !texts.has(text)),
    [],
  );
});
