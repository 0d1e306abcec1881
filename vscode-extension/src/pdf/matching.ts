/**
 * Where a quote stands on a page.
 *
 * The quote comes from one reader of the document, the page's text from another: they agree on the letters, and on little
 * else. Compared is what is left without blanks, hyphens, accents and marks, with ligatures taken apart.
 */

/** A stretch of one text item of a page, in UTF-16 units. */
export interface Stretch {
  readonly item: number;
  readonly start: number;
  readonly end: number;
}

/** A stretch of one of several pages. */
export interface PageStretch extends Stretch {
  /** Index into the pages that were searched. */
  readonly page: number;
}

/**
 * What readers make differently of one page: blanks; hyphens and dashes, which may be part of a word or of the line's end;
 * accents, which stand before, behind or in their letter; controls, soft hyphens and what has no meaning.
 */
const LEFT_OUT = /[\p{Z}\p{C}\p{M}\p{Pd}]/gu;
/** Pieces of a quote that other text of the page may stand between, and how long each but the last is at least. */
const MOST_PIECES = 8;
const SHORTEST_PIECE = 12;

/** A text as it is compared. */
export function squashed(text: string): string {
  return text.normalize('NFKD').replace(LEFT_OUT, '');
}

/** The text items of a page, made ready to be searched. */
export class PageText {
  readonly text: string;
  /** By unit of `text`: its item, and the character that it comes from. */
  readonly #items: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(items: readonly string[]) {
    const parts: string[] = [];
    for (const [item, text] of items.entries()) {
      let at = 0;
      for (const character of text) {
        const part = squashed(character);
        for (let unit = 0; unit < part.length; unit += 1) {
          this.#items.push(item);
          this.#starts.push(at);
          this.#ends.push(at + character.length);
        }
        parts.push(part);
        at += character.length;
      }
    }
    this.text = parts.join('');
  }

  /** The stretches of items that some of `text` stands in, whole characters, and what is left out between them. */
  stretches(from: number, to: number): Stretch[] {
    const found: Stretch[] = [];
    for (let at = from; at < to; at += 1) {
      const item = this.#items[at] ?? 0;
      const end = this.#ends[at] ?? 0;
      const last = found.at(-1);
      if (last?.item === item) {
        found[found.length - 1] = { ...last, end };
      } else {
        found.push({ item, start: this.#starts[at] ?? 0, end });
      }
    }
    return found;
  }
}

/**
 * Where a quote stands, in the order that it is read: on the first page, else in pieces on any of them, as where a column
 * or a page ends. Of equal places the nearest counts. Undefined where a part of the quote is nowhere.
 *
 * @param near - how many compared characters of the first page come before the quote.
 */
export function locate(pages: readonly PageText[], quote: string, near = 0): PageStretch[] | undefined {
  const wanted = squashed(quote);
  const [first] = pages;
  if (wanted === '' || first === undefined) {
    return undefined;
  }
  const whole = nearest(first.text, wanted, near);
  if (whole >= 0) {
    return stretchesOn(0, first, whole, whole + wanted.length);
  }
  return inPieces(pages, wanted, near);
}

/** Whether a page says a quote more than once. */
export function isRepeated({ text }: PageText, quote: string): boolean {
  const wanted = squashed(quote);
  const at = text.indexOf(wanted);
  return wanted !== '' && at >= 0 && text.indexOf(wanted, at + 1) >= 0;
}

function inPieces(pages: readonly PageText[], wanted: string, near: number): PageStretch[] | undefined {
  const found: PageStretch[] = [];
  let rest = wanted;
  let last = { page: 0, end: near };
  for (let pieces = 0; rest !== ''; pieces += 1) {
    const piece = longestStart(pages, rest, last);
    if (pieces === MOST_PIECES || piece.length < Math.min(SHORTEST_PIECE, rest.length)) {
      return undefined;
    }
    const page = pages[piece.page] as PageText;
    found.push(...stretchesOn(piece.page, page, piece.at, piece.at + piece.length));
    last = { page: piece.page, end: piece.at + piece.length };
    rest = rest.slice(piece.length);
  }
  return found;
}

/** The longest beginning of a text that stands on a page; on the page of the last piece if it is as long there. */
function longestStart(
  pages: readonly PageText[],
  wanted: string,
  last: { readonly page: number; readonly end: number },
): { readonly page: number; readonly at: number; readonly length: number } {
  const lengths = pages.map(({ text }) => lengthOfStart(text, wanted));
  const length = Math.max(...lengths);
  const page = lengths[last.page] === length ? last.page : lengths.indexOf(length);
  const start = wanted.slice(0, length);
  const at = nearest(pages[page]?.text ?? '', start, page === last.page ? last.end : 0);
  return { page, at, length };
}

/** How many characters of the beginning of `wanted` stand together in a text. */
function lengthOfStart(text: string, wanted: string): number {
  let [stands, not] = [0, wanted.length + 1];
  while (not - stands > 1) {
    const middle = (stands + not) >> 1;
    if (text.includes(wanted.slice(0, middle))) {
      stands = middle;
    } else {
      not = middle;
    }
  }
  return stands;
}

/** The occurrence that is nearest to a place; -1 where there is none. */
function nearest(text: string, wanted: string, near: number): number {
  let best = -1;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (best >= 0 && Math.abs(at - near) >= Math.abs(best - near)) {
      break;
    }
    best = at;
  }
  return best;
}

function stretchesOn(page: number, text: PageText, from: number, to: number): PageStretch[] {
  return text.stretches(from, to).map((stretch) => ({ page, ...stretch }));
}
