import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type InContext, inContext, partsOf } from '../../src/reading/context';

const QUOTE: InContext = { span: [100, 116], quote: 'The rent is due.' };

function around(role: string, start: number, text: string, cut: readonly ('start' | 'end')[] = []) {
  return { role, span: [start, start + text.length] as const, text, cut };
}

describe('a passage in its context', () => {
  it('is the quote alone where a server tells no more', () => {
    assert.equal(inContext(QUOTE), 'The rent is due.');
    assert.deepEqual(partsOf(QUOTE), [{ start: 100, text: 'The rent is due.', isQuote: true, gap: false }]);
  });

  it('has the quote in quotation marks between what stands beside it', () => {
    const context = [around('after', 117, 'In cash.'), around('before', 84, 'We met in May. ')];
    assert.equal(inContext({ ...QUOTE, context }), 'We met in May. “The rent is due.” In cash.');
  });

  it('tells what is left out, once', () => {
    assert.equal(
      inContext({ ...QUOTE, context: [around('header', 10, '| Room | Rent |')] }),
      '| Room | Rent | … “The rent is due.”',
    );
    const cut = [around('lead-in', 10, 'Fees are', ['end'])];
    assert.equal(inContext({ ...QUOTE, context: cut }), 'Fees are… “The rent is due.”');
  });

  it('begins and ends with an ellipsis where the quote was cut', () => {
    assert.equal(inContext({ ...QUOTE, quote: 'rent is due', cut: ['start', 'end'] }), '…rent is due…');
  });

  it('shortens context on the side away from the quote', () => {
    const long = `${'word '.repeat(100)}last`;
    const [before] = partsOf({ ...QUOTE, span: [900, 916], context: [around('before', 300, long)] });
    assert.match(before?.text ?? '', /^…word .* last$/);
    const after = partsOf({ ...QUOTE, context: [around('after', 117, long)] })[1];
    assert.match(after?.text ?? '', /^word .* word…$/);
    assert.ok((before?.text.length ?? 999) <= 201 && (after?.text.length ?? 999) <= 201);
  });
});
