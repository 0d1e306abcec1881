import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRepeated, locate, PageText, squashed } from '../../../src/pdf/matching';

/** The words that a quote is found to be, a piece for each stretch; of several pages with the page before it. */
function found(pages: readonly (readonly string[])[], quote: string, near?: number): string[] | undefined {
  const stretches = locate(
    pages.map((items) => new PageText(items)),
    quote,
    near,
  );
  return stretches?.map(({ page, item, start, end }) => {
    const words = pages[page]?.[item]?.slice(start, end) ?? '';
    return pages.length === 1 ? words : `${page}: ${words}`;
  });
}

test('words that run over several items are found in all of them', () => {
  const page = ['The keel of the', ' ', 'Arlen ferry', ' was laid', ' in 1931.'];
  assert.deepEqual(found([page], 'keel of the Arlen ferry was'), ['keel of the', 'Arlen ferry', 'was']);
});

test('a ligature is its letters, whoever has taken it apart', () => {
  assert.deepEqual(found([['The o\ufb03ce \ufb01led it.']], 'office filed'), ['o\ufb03ce \ufb01led']);
  assert.deepEqual(found([['The office filed it.']], 'o\ufb03ce \ufb01led'), ['office filed']);
  // A quote that ends inside of one: the character is marked whole.
  assert.deepEqual(found([['an a\ufb03x']], 'an af'), ['an a\ufb03']);
});

test('a word that a line end cut is whole in the quote, and the other way round', () => {
  const page = ['an insu\ufb03-', 'cient and well-', 'known reason'];
  assert.deepEqual(found([page], 'insufficient and well-known'), ['insu\ufb03', 'cient and well', 'known']);
  assert.deepEqual(found([page], 'insuffi\u00adcient and wellknown'), ['insu\ufb03', 'cient and well', 'known']);
  assert.deepEqual(found([['insufficient']], 'insuffi-\ncient'), ['insufficient']);
});

test('accents and the width of letters make no difference', () => {
  assert.deepEqual(found([['Fu\u0308r die Pru\u0308fung']], 'F\u00fcr die Pr\u00fcfung'), [
    'Fu\u0308r die Pru\u0308fung',
  ]);
  assert.deepEqual(found([['\u00b4Ecole']], '\u00c9cole'), ['Ecole']);
  assert.deepEqual(found([['\uff21\uff22\uff23 一二']], 'ABC 一二'), ['\uff21\uff22\uff23 一二']);
});

test('characters beyond the first plane are never cut', () => {
  assert.deepEqual(found([['a 𝒇 \u{20000}b']], 'f \u{20000}'), ['𝒇 \u{20000}']);
});

test('words that the columns of a page have apart are found in pieces', () => {
  const page = ['the first column ends with', 'another column, in between,', 'these words in the second'];
  assert.deepEqual(found([page], 'column ends with these words in'), ['column ends with', 'these words in']);
});

test('words that a page end cuts are found on both pages, below the footer and above the header', () => {
  const pages = [
    ['A sentence that begins here', '17'],
    ['Annual Report', 'and goes on over there.'],
  ];
  assert.deepEqual(found(pages, 'sentence that begins here and goes on over'), [
    '0: sentence that begins here',
    '1: and goes on over',
  ]);
});

test('words that stand on the named page whole are not looked for on the next', () => {
  assert.deepEqual(found([['said here'], ['said here']], 'said here'), ['0: said here']);
});

test('of equal words the nearest are meant', () => {
  const page = ['one: four.', 'two: four.', 'three: four.'];
  const at = (near?: number) => locate([new PageText(page)], 'four', near)?.[0]?.item;
  assert.equal(at(), 0);
  assert.equal(at(4), 0);
  assert.equal(at(12), 1);
  assert.equal(at(9_999), 2);
  assert.ok(isRepeated(new PageText(page), 'four'));
  assert.ok(!isRepeated(new PageText(page), 'three'));
  assert.ok(!isRepeated(new PageText(page), 'five'));
});

test('words that are not there are not found, nor are those that are only partly there', () => {
  const page = ['The crossing takes eleven minutes in calm weather.'];
  assert.equal(found([page], 'The crossing takes fifteen minutes'), undefined);
  assert.equal(found([page], 'The crossing takes eleven minutes in calm weather, but'), undefined);
  assert.equal(found([page], ' \n- '), undefined);
  assert.equal(found([page], ''), undefined);
  assert.equal(found([], 'word'), undefined);
  assert.equal(found([[]], 'word'), undefined);
});

test('scattered letters are no quote', () => {
  assert.equal(found([['ab', 'cd', 'ef', 'gh']], 'ghefcdab'), undefined);
});

test('what is found says what was looked for', () => {
  const letters = 'The o\ufb03ce \u2013 well-known, na\u00efve \u2014 filed 12 re\u00adports. ';
  const text = letters.repeat(4);
  const items = text.match(/.{1,7}/gsu) ?? [];
  const characters = [...text];
  for (let start = 0; start < characters.length; start += 3) {
    for (const length of [1, 5, 40, 90]) {
      const quote = characters.slice(start, start + length).join('');
      const words = found([items], quote);
      if (squashed(quote) !== '') {
        // A ligature is marked whole, though only some of its letters were looked for.
        assert.ok(squashed(words?.join('') ?? '').includes(squashed(quote)), quote);
        assert.ok(squashed(words?.join('') ?? '').length <= squashed(quote).length + 4, quote);
      }
    }
  }
});

test('a page of a million letters is searched in no time', () => {
  const page = new PageText(Array.from({ length: 20_000 }, (_, at) => `line ${at} of a very long page, said again`));
  const began = performance.now();
  assert.equal(locate([page, page], 'line 19999 of a very long page, but never said before'), undefined);
  assert.equal(locate([page, page], 'line 19998 of a very long page')?.[0]?.item, 19_998);
  assert.ok(performance.now() - began < 1_000);
});
