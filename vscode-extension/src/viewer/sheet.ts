import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Stretch } from '../pdf/matching';

/** Pixels of a drawn page at most: a large page on a fine screen is drawn more coarsely. */
const MOST_PIXELS = 16_000_000;

/** The text items of a page, as its text layer has them. */
export async function itemsOf(page: pdfjs.PDFPageProxy): Promise<readonly string[]> {
  const { items } = await page.getTextContent();
  return items.flatMap((item) => ('str' in item ? [item.str] : []));
}

/** What drawing a page consists of. */
type Tasks = { cancel(): void }[];

/** One page: a sheet of its size that is drawn while it is near what is looked at. */
export class Sheet {
  readonly element = document.createElement('div');
  #page: pdfjs.PDFPageProxy | undefined;
  #drawing: { readonly done: Promise<void>; cancel(): void } | undefined;
  #items: readonly HTMLElement[] = [];
  #marked: readonly Stretch[] = [];

  /** @param number - from 1. */
  constructor(
    readonly number: number,
    label: string,
    size: { readonly width: number; readonly height: number },
  ) {
    this.element.className = 'sheet';
    this.element.setAttribute('role', 'region');
    this.element.setAttribute('aria-label', label);
    this.element.dataset.page = String(number);
    this.resize(size);
  }

  /** Whether it is drawn, or is being drawn until this resolves; undefined where neither is. */
  get drawn(): Promise<void> | undefined {
    return this.#drawing?.done;
  }

  /** The size of the page in points of 1/72 inch. */
  resize({ width, height }: { readonly width: number; readonly height: number }): void {
    this.element.style.setProperty('--width', String(width));
    this.element.style.setProperty('--height', String(height));
  }

  /** Draw the page, with its text above it and marks in that. Resolves when it is there, or not wanted any more. */
  draw(document_: pdfjs.PDFDocumentProxy, scale: number): Promise<void> {
    this.drop();
    const tasks: Tasks = [];
    const cancelled = new AbortController();
    const cancel = (): void => {
      cancelled.abort();
      for (const task of tasks) {
        task.cancel();
      }
    };
    const done = this.#draw(document_, scale, tasks, cancelled.signal);
    this.#drawing = { done, cancel };
    return done;
  }

  async #draw(document_: pdfjs.PDFDocumentProxy, scale: number, tasks: Tasks, cancelled: AbortSignal): Promise<void> {
    this.#page ??= await document_.getPage(this.number);
    const text = await this.#page.getTextContent();
    if (cancelled.aborted) {
      return;
    }
    const viewport = this.#page.getViewport({ scale });
    this.resize(this.#page.getViewport({ scale: 1 }));
    const canvas = canvasFor(viewport);
    const container = document.createElement('div');
    container.className = 'text';
    const painting = this.#page.render({
      canvas,
      viewport,
      transform: [canvas.width / viewport.width, 0, 0, canvas.height / viewport.height, 0, 0],
      // Drawn as they look; nothing of them can be clicked or filled in.
      annotationMode: pdfjs.AnnotationMode.ENABLE,
    });
    const layer = new pdfjs.TextLayer({ textContentSource: text, container, viewport });
    tasks.push(painting, layer);
    this.element.replaceChildren(canvas, container);
    await Promise.all([settled(painting.promise), settled(layer.render())]);
    if (!cancelled.aborted) {
      this.#items = layer.textDivs;
      this.mark(this.#marked);
      this.element.dataset.drawn = 'true';
    }
  }

  /** Give the drawing back: the page is far from what is looked at. */
  drop(): void {
    this.#drawing?.cancel();
    this.#drawing = undefined;
    this.#items = [];
    for (const canvas of this.element.querySelectorAll('canvas')) {
      canvas.width = 0; // the browser keeps the pixels of a canvas longer than the canvas
    }
    this.element.replaceChildren();
    delete this.element.dataset.drawn;
    this.#page?.cleanup();
  }

  /** Highlight stretches of the text, and nothing else. */
  mark(stretches: readonly Stretch[]): void {
    this.#marked = stretches;
    for (const mark of this.element.querySelectorAll('mark')) {
      const item = mark.parentElement;
      mark.replaceWith(...mark.childNodes);
      item?.normalize();
    }
    // From the end: what is marked behind leaves what stands before it as it was.
    for (const { item, start, end } of stretches.toReversed()) {
      const words = this.#items[item]?.firstChild;
      if (words instanceof Text) {
        const rest = words.splitText(start);
        rest.splitText(end - start);
        const mark = document.createElement('mark');
        rest.replaceWith(mark);
        mark.append(rest);
      }
    }
  }

  /** The first highlight that is drawn. */
  get firstMark(): Element | undefined {
    return this.element.querySelector('mark') ?? undefined;
  }
}

function canvasFor(viewport: pdfjs.PageViewport): HTMLCanvasElement {
  const fine = Math.min(devicePixelRatio, Math.sqrt(MOST_PIXELS / (viewport.width * viewport.height)));
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  canvas.width = Math.max(1, Math.floor(viewport.width * fine));
  canvas.height = Math.max(1, Math.floor(viewport.height * fine));
  return canvas;
}

/** A page that cannot be drawn, or is not wanted any more, stays blank; the others are shown. */
async function settled(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof pdfjs.RenderingCancelledException || error instanceof pdfjs.AbortException)) {
      console.error(error);
    }
  }
}
