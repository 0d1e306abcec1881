/** Where a passage stands, as a person says it, and how its document is best shown. */

import { words } from '../words';

/** What the program tells of a place in an extracted document: `{page: 12}`, `{sheet: "Costs", cell: "B7"}`. */
export type Locator = Readonly<Record<string, unknown>>;

/** How a document is shown. */
export type Kind = 'markdown' | 'table' | 'pdf' | 'text';

const EXTRACTED =
  /\.(pdf|docx|docm|dotx|pptx|pptm|xlsx|xlsm|xlsb|xls|ods|odt|ott|odp|epub|rtf|eml|msg|mbox|ipynb|png|jpe?g?|tiff?|bmp|webp)$/i;

/** By the end of its name. */
export function kindOf(path: string): Kind {
  if (/\.(md|markdown|mdown|mkd|mkdn|mdwn|mdx|rmd|qmd|ipynb)$/i.test(path)) {
    return 'markdown';
  }
  if (/\.(csv|tsv|tab|psv)$/i.test(path)) {
    return 'table';
  }
  return /\.pdf$/i.test(path) ? 'pdf' : 'text';
}

/** From an offset in code points on, a text stands there. */
interface Placed {
  readonly start: number;
  readonly locator: Locator;
}

/** The page of a locator, from 1; undefined where it has none. */
export function pageOf(locator: Locator | null | undefined): number | undefined {
  const page = locator?.page;
  return typeof page === 'number' && Number.isInteger(page) && page > 0 ? page : undefined;
}

/** In percent: below that a page that was recognised has words that nobody wrote. */
const SURE_ENOUGH = 90;

/**
 * `p. 12`, `slide 4`, `Sheet1!B7`, `2024-03-01, list.pdf p. 2`, else `line 7`; empty where nothing is known. What was
 * recognised on a picture says so, and how sure that is where it is little: `p. 3 (OCR, 71 % sure)`.
 */
export function placeInWords(
  path: string,
  locator: Locator | null | undefined,
  line: number | null,
  pageInWords: (page: unknown) => string = words.place.page,
): string {
  const { page, slide, sheet, cell, chapter, message, date, by, confidence, attachment } = locator ?? {};
  const unsure = typeof confidence === 'number' && confidence < SURE_ENOUGH;
  const places = [
    page !== undefined && pageInWords(page),
    slide !== undefined && words.place.slide(slide),
    sheet !== undefined && (cell === undefined ? String(sheet) : `${sheet}!${cell}`),
    sheet === undefined && cell !== undefined && words.place.cell(cell),
    chapter !== undefined && words.place.chapter(chapter),
    date !== undefined ? String(date) : message !== undefined && words.place.message(message),
    by === 'ocr' && (unsure ? words.place.unsure(confidence) : '(OCR)'),
  ].filter((place) => place !== false);
  if (attachment !== undefined) {
    return [...(places.length > 0 ? [places.join(' ')] : []), String(attachment)].join(', ');
  }
  if (places.length > 0 || EXTRACTED.test(path)) {
    return places.join(' ');
  }
  return line === null ? '' : words.place.line(line);
}

/** The line where it says where a passage stands: not in a document that a text was taken out of. */
export function lineIn(path: string, line: number | null): number | null {
  return EXTRACTED.test(path) ? null : line;
}

/** What a link to a place ends in: `#page=12`, which programs that open PDF files know, else `#L7`, or nothing. */
export function fragmentOf(locator: Locator | null, line: number | null): string {
  const page = pageOf(locator);
  if (page !== undefined) {
    return `#page=${page}`;
  }
  return line === null ? '' : `#L${line}`;
}

/** The locator that holds for an offset in code points. */
export function locatorAt(locators: readonly Placed[], offset: number): Locator | null {
  return locators.findLast(({ start }) => start <= offset)?.locator ?? null;
}

/**
 * The locator of a stretch: that of its match, where it is known and still lies in the stretch, else that where the
 * stretch begins.
 */
export function locatorWithin(
  locators: readonly Placed[],
  begin: number,
  end: number,
  known: Locator | null,
): Locator | null {
  const said = JSON.stringify(known);
  const held = locators.some(({ start, locator }) => begin < start && start < end && JSON.stringify(locator) === said);
  return held ? known : (locatorAt(locators, begin) ?? known);
}

/** The folder and the name of a path, apart. */
export function splitPath(path: string): readonly [folder: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

/** The path of a file below the one of the folders that it is in; all of it where it is in none. */
export function pathBelow(folders: readonly string[], uri: string): string {
  const folder = folders.map((each) => `${each.replace(/\/$/, '')}/`).find((each) => uri.startsWith(each));
  const path = folder === undefined ? new URL(uri).pathname : uri.slice(folder.length);
  return path.split('/').map(decodeURIComponent).join('/');
}

/**
 * The path of a file or folder, by its URI or its path, below the one of the searched folders that it is in; with the
 * name of that folder where there are several. Undefined where it is in none.
 */
export function pathAmong(
  folders: readonly { readonly uri: string; readonly name: string }[],
  place: string,
): string | undefined {
  const path = plainPath(place);
  const [inside] = folders
    .map(({ uri, name }) => ({ name, at: plainPath(uri) }))
    .filter(({ at }) => path === at || path.startsWith(`${at}/`))
    .sort((one, other) => other.at.length - one.at.length);
  if (inside === undefined) {
    return undefined;
  }
  const below = path.slice(inside.at.length + 1);
  return folders.length > 1 || below === '' ? [inside.name, below].filter(Boolean).join('/') : below;
}

/** A path from a URI or a path, with `/` alone, and none at its end. */
function plainPath(place: string): string {
  const drive = /^\/?([a-z]):[\\/]/i;
  const path = place.startsWith('file://') ? decoded(place.slice('file://'.length)) : place;
  const slashed = drive.test(path)
    ? path.replaceAll('\\', '/').replace(drive, (_, letter: string) => `/${letter.toLowerCase()}:/`)
    : path;
  return slashed.replace(/\/+$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The URI of a file below a folder's URI. */
export function uriBelow(folder: string, path: string): string {
  return `${folder.replace(/\/$/, '')}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
