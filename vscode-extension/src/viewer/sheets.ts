import type * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { Sheet } from './sheet';

/** Pixels to a point at first: as large as on paper and a little more, if there is room. */
const LARGEST_AT_FIRST = 1.6;
const SMALLEST = 0.25;
const LARGEST = 6;
const STEP = 1.2;
const MARGIN = 32;

/** Where somebody reads: the page, and how much of it is above the window's edge. */
export interface Spot {
  readonly page: number;
  readonly above: number;
}

/** The pages of a document below each other. Only those near the window are drawn. */
export class Sheets {
  readonly #sheets: readonly Sheet[];
  readonly #near: IntersectionObserver;
  #scale: number;

  constructor(
    private readonly document_: pdfjs.PDFDocumentProxy,
    private readonly window_: HTMLElement,
    first: { readonly width: number; readonly height: number },
    label: (number: number) => string,
    scale: number | undefined,
  ) {
    // The others are taken to be as large, until they are near.
    this.#sheets = Array.from({ length: document_.numPages }, (_, at) => new Sheet(at + 1, label(at + 1), first));
    this.#scale = scale ?? Math.min((window_.clientWidth - MARGIN) / first.width, LARGEST_AT_FIRST);
    this.#applyScale();
    window_.replaceChildren(...this.#sheets.map(({ element }) => element));
    this.#near = new IntersectionObserver((changes) => this.#seen(changes), { root: window_, rootMargin: '60% 0px' });
    for (const { element } of this.#sheets) {
      this.#near.observe(element);
    }
  }

  get count(): number {
    return this.#sheets.length;
  }

  /** Pixels to a point. */
  get scale(): number {
    return this.#scale;
  }

  /** The page that takes up the middle of the window, from 1. */
  get current(): number {
    const middle = this.window_.scrollTop + this.window_.clientHeight / 2;
    return this.#at(middle).number;
  }

  /** Where the upper edge of the window is. */
  get spot(): Spot {
    const { number, element } = this.#at(this.window_.scrollTop);
    return { page: number, above: (this.window_.scrollTop - element.offsetTop) / element.offsetHeight };
  }

  /** Go to where somebody read before. */
  goTo({ page, above }: Spot): void {
    const { element } = this.sheet(page);
    this.window_.scrollTop = element.offsetTop + above * element.offsetHeight;
  }

  /** The sheet of a page, from 1; of the nearest if there is no such page. */
  sheet(page: number): Sheet {
    const at = Math.min(Math.max(page, 1), this.count) - 1;
    return this.#sheets[at] as Sheet;
  }

  /** Go to a page, and resolve when it is drawn. */
  async show(page: number): Promise<void> {
    const sheet = this.sheet(page);
    this.goTo({ page: sheet.number, above: 0 });
    await (sheet.drawn ?? sheet.draw(this.document_, this.#scale));
  }

  /** Scroll until something on a page is in the middle; `scrollIntoView` would scroll all around the window, too. */
  center(shown: Element): void {
    const [inside, around] = [shown.getBoundingClientRect(), this.window_.getBoundingClientRect()];
    const left = inside.left - around.left + (inside.width - around.width) / 2;
    this.window_.scrollBy(left, inside.top - around.top + (inside.height - around.height) / 2);
  }

  /** Larger or smaller by steps, around what is read. */
  zoom(steps: number): void {
    const { spot } = this;
    this.#scale = Math.min(Math.max(this.#scale * STEP ** steps, SMALLEST), LARGEST);
    this.#applyScale();
    this.goTo(spot);
    for (const sheet of this.#sheets.filter(({ drawn }) => drawn !== undefined)) {
      void sheet.draw(this.document_, this.#scale);
    }
  }

  /** No sheet is drawn any more. */
  close(): void {
    this.#near.disconnect();
    for (const sheet of this.#sheets) {
      sheet.drop();
    }
  }

  #applyScale(): void {
    this.window_.style.setProperty('--total-scale-factor', String(this.#scale));
  }

  #at(top: number): Sheet {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#sheets[middle]?.element.offsetTop ?? 0) <= top) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return this.sheet(low + 1);
  }

  #seen(changes: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of changes) {
      const sheet = this.sheet(Number((target as HTMLElement).dataset.page));
      if (!isIntersecting) {
        sheet.drop();
      } else if (sheet.drawn === undefined) {
        void sheet.draw(this.document_, this.#scale);
      }
    }
  }
}
