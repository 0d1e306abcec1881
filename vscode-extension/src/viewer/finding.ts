import type * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { isRepeated, locate, PageText, type Stretch } from '../pdf/matching';
import type { Place } from '../pdf/messages';
import { itemsOf } from './sheet';

/** Where words stand in a document. */
export interface Found {
  /** By page, from 1; the first is where they begin. */
  readonly stretches: ReadonlyMap<number, readonly Stretch[]>;
  readonly words: string;
  /** Whether the page says them more than once, and which of these is meant was not told. */
  readonly repeated: boolean;
}

/** Finds words on the pages of a document. */
export class Finder {
  readonly #items = new Map<number, Promise<readonly string[]>>();

  constructor(private readonly document_: pdfjs.PDFDocumentProxy) {}

  /** On the page that is named and the one behind it; where none is named, on the first that has them. */
  async find({ page, quote, near }: Place): Promise<Found | undefined> {
    if (quote === undefined) {
      return undefined;
    }
    const first = page ?? 1;
    const last = page ?? this.document_.numPages;
    for (let number = first; number <= Math.min(last, this.document_.numPages); number += 1) {
      const found = await this.#from(number, quote, near);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }

  async #from(number: number, quote: string, near: number | undefined): Promise<Found | undefined> {
    const numbers = [number, number + 1].filter((each) => each <= this.document_.numPages);
    const items = await Promise.all(numbers.map((each) => this.#itemsOf(each)));
    const pages = items.map((each) => new PageText(each));
    const found = locate(pages, quote, near);
    if (found === undefined) {
      return undefined;
    }
    const stretches = new Map<number, Stretch[]>();
    for (const { page, ...stretch } of found) {
      stretches.set(number + page, [...(stretches.get(number + page) ?? []), stretch]);
    }
    const words = found.map(({ page, item, start, end }) => items[page]?.[item]?.slice(start, end)).join(' ');
    return { stretches, words, repeated: near === undefined && pages[0] !== undefined && isRepeated(pages[0], quote) };
  }

  #itemsOf(number: number): Promise<readonly string[]> {
    const known = this.#items.get(number) ?? this.document_.getPage(number).then(itemsOf);
    this.#items.set(number, known);
    return known;
  }
}
