/** The page of the viewer: what it is told, what keys and buttons do, and what it tells. */

import type { FromViewer, Shown, Target, ToViewer, ViewerPlaces, ViewerWords } from '../pdf/messages';
import { Finder, type Found } from './finding';
import { isLocked, type Reading, read } from './reading';
import { Sheets, type Spot } from './sheets';

/** What is kept of the viewer while it is hidden. */
interface Kept {
  readonly wish: number | undefined;
  readonly spot: Spot;
  readonly scale: number;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromViewer): void;
  getState(): Kept | undefined;
  setState(kept: Kept): void;
};

const editor = acquireVsCodeApi();
const words = JSON.parse(document.body.dataset.words ?? '') as ViewerWords;
const places = JSON.parse(document.body.dataset.places ?? '') as ViewerPlaces;
const bar = {
  page: element('page'),
  told: element('told'),
};
const window_ = element('pages');

let reading: Reading | undefined;
let sheets: Sheets | undefined;
let finder: Finder | undefined;
let marked: readonly number[] = [];
let wish: number | undefined;
let opened = 0;

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}

function filled(text: string, ...numbers: readonly number[]): string {
  return text.replace(/\{(\d)\}/g, (_, at: string) => String(numbers[Number(at)] ?? ''));
}

function tell(text: string): void {
  bar.told.textContent = text;
}

/** Show a document, or the same one as it is now: then what is read stays where it is. */
async function open(bytes: Uint8Array, target: Target | undefined): Promise<void> {
  const turn = ++opened;
  let next: Reading;
  try {
    next = await read(bytes, places);
  } catch (error) {
    if (turn === opened) {
      console.error(error);
      tell(isLocked(error) ? words.locked : words.broken);
    }
    return;
  }
  if (turn !== opened) {
    next.close();
    return;
  }
  const kept = keptNow() ?? editor.getState();
  close();
  reading = next;
  finder = new Finder(next.document);
  sheets = new Sheets(next.document, window_, next.size, (number) => filled(words.page, number), kept?.scale);
  tell('');
  if (kept !== undefined && (target === undefined || target.wish === kept.wish)) {
    sheets.goTo(kept.spot);
    wish = kept.wish;
    await highlight(target);
  } else if (target !== undefined) {
    await show(target);
  }
  counted();
}

/** Go to a place, and highlight its words. */
async function show(target: Target): Promise<void> {
  wish = target.wish;
  const found = await highlight(target);
  if (sheets === undefined || wish !== target.wish) {
    return;
  }
  const page = Math.min(found === undefined ? (target.page ?? 1) : Math.min(...found.stretches.keys()), sheets.count);
  await sheets.show(page);
  if (wish !== target.wish) {
    return;
  }
  const { firstMark } = sheets.sheet(page);
  if (firstMark !== undefined) {
    sheets.center(firstMark);
  }
  takeKeys();
  counted();
  const shown: Shown = {
    wish: target.wish,
    page,
    pages: sheets.count,
    repeated: found?.repeated ?? false,
    ...(found !== undefined && { words: found.words }),
  };
  editor.postMessage({ type: 'shown', ...shown });
}

/** Keys scroll the pages, if keys are for us: a page may be shown behind a list that somebody types into. */
function takeKeys(): void {
  if (document.hasFocus()) {
    window_.focus();
  }
}

async function highlight(target: Target | undefined): Promise<Found | undefined> {
  const found = target && (await finder?.find(target));
  if (sheets === undefined || target?.wish !== wish) {
    return undefined;
  }
  for (const page of marked) {
    sheets.sheet(page).mark([]);
  }
  marked = [...(found?.stretches.keys() ?? [])];
  for (const page of marked) {
    sheets.sheet(page).mark(found?.stretches.get(page) ?? []);
  }
  if (target?.quote === undefined) {
    tell('');
  } else if (found !== undefined) {
    tell(filled(words.highlighted, marked[0] ?? 1));
  } else {
    tell(target.page === undefined ? words.notFoundAnywhere : filled(words.notFound, target.page));
  }
  return found;
}

/** No words are highlighted any more. */
function unmark(): void {
  for (const page of marked) {
    sheets?.sheet(page).mark([]);
  }
  marked = [];
  tell('');
}

function close(): void {
  sheets?.close();
  reading?.close();
  marked = [];
}

function keptNow(): Kept | undefined {
  return sheets && { wish, spot: sheets.spot, scale: sheets.scale };
}

/** Say which page is read, and keep where. */
function counted(): void {
  const kept = keptNow();
  if (sheets !== undefined && kept !== undefined) {
    const said = filled(words.ofPages, sheets.current, sheets.count);
    if (bar.page.textContent !== said) {
      bar.page.textContent = said;
    }
    editor.setState(kept);
  }
}

function turn(pages: number): void {
  if (sheets !== undefined) {
    sheets.goTo({ page: Math.min(Math.max(sheets.current + pages, 1), sheets.count), above: 0 });
  }
}

const KEYS: Readonly<Record<string, () => void>> = {
  n: () => turn(1),
  p: () => turn(-1),
  '+': () => sheets?.zoom(1),
  '=': () => sheets?.zoom(1),
  '-': () => sheets?.zoom(-1),
  Escape: unmark,
};

document.addEventListener('keydown', (event) => {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
  if (act !== undefined) {
    event.preventDefault();
    act();
  }
});
for (const [id, act] of [
  ['previous', () => turn(-1)],
  ['next', () => turn(1)],
  ['smaller', () => sheets?.zoom(-1)],
  ['larger', () => sheets?.zoom(1)],
] as const) {
  element(id).addEventListener('click', act);
}
window.addEventListener('focus', takeKeys);
window_.addEventListener('scroll', counted, { passive: true });
window.addEventListener('message', ({ data }: MessageEvent<ToViewer>) => {
  switch (data.type) {
    case 'open':
      void open(data.bytes, data.target);
      break;
    case 'show':
      void show(data.target);
      break;
    case 'tell':
      tell(data.message);
      break;
  }
});
editor.postMessage({ type: 'ready' });
