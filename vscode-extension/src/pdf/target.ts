import { pageOf } from '../documents/locator';
import type { TextResult } from '../protocol/documents';
import type { PlaceParams } from '../reading/locations';
import { quoteIn, type Units, unitsOf } from '../reading/places';
import { squashed } from './matching';
import type { Place } from './messages';

/** The page of a passage and its words, from the text of the document that its range or span counts in. */
export function targetIn(
  { text, locators }: Pick<TextResult, 'text' | 'locators'>,
  place: Pick<PlaceParams, 'range' | 'span' | 'quote'>,
): Place {
  const numbered = place.span === undefined ? unitsOfRange(text, place.range) : unitsOf(text, place.span);
  const [start, end] = (place.quote === undefined ? undefined : quoteIn(text, place.quote, numbered[0])) ?? numbered;
  const starts = locators.map((each) => ({
    page: pageOf(each.locator),
    at: unitsOf(text, [each.start, each.start])[0],
  }));
  const page = starts.findLast((each) => each.page !== undefined && each.at <= start);
  const quote = text.slice(start, end);
  return {
    ...(page?.page !== undefined && { page: page.page, near: squashed(text.slice(page.at, start)).length }),
    ...(quote !== '' && { quote }),
  };
}

function unitsOfRange(text: string, range: PlaceParams['range']): Units {
  return range === undefined ? [0, 0] : [unitAt(text, range.start), unitAt(text, range.end)];
}

function unitAt(text: string, { line, character }: { readonly line: number; readonly character: number }): number {
  let at = 0;
  for (let number = 0; number < line; number += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) {
      return text.length;
    }
    at = next + 1;
  }
  return Math.min(at + character, text.length);
}
