import { printable } from '../inert';

/** Text of notes, questions and models on one line, for the parts of the editor that make something of plain text. */

const LONGEST_NOTIFICATION = 160;

/** For a notification, in which `[text](address)` is a link that can even run a command. */
export function inNotification(text: string): string {
  return oneLine(text, LONGEST_NOTIFICATION).replace(/\]\(/g, '] (');
}

/** For a row of a quick pick, in which `$(name)` is an icon. */
export function inRow(text: string, longest: number): string {
  return oneLine(text, longest).replace(/\$\(/g, '$ (');
}

/** A text on one line, no longer than that. */
export function oneLine(text: string, longest: number): string {
  // What is cut off anyway need not be looked at.
  const line = printable(text.slice(0, longest * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

const EXCERPT_LEAD = 24;
const EXCERPT_ROOM = 90;
const EXCERPT_LONGEST = 4_000;

/** A passage on one line, from shortly before the place that says most of the words that were looked for. */
export function excerpt(text: string, query: string): string {
  const line = oneLine(text, EXCERPT_LONGEST);
  const from = densest(line.toLowerCase(), query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  if (from <= EXCERPT_LEAD * 2) {
    return line;
  }
  const space = line.indexOf(' ', from - EXCERPT_LEAD);
  return `… ${line.slice(space >= 0 && space < from ? space + 1 : from - EXCERPT_LEAD)}`;
}

/** Where most of the words stand close together; 0 where none does. */
function densest(line: string, words: readonly string[]): number {
  const places = [...new Set(words)]
    .flatMap((word) => [...line.matchAll(new RegExp(word, 'gu'))].map(({ index }) => ({ index, word })))
    .sort((one, other) => one.index - other.index);
  let best = 0;
  let most = 0;
  for (const [first, { index }] of places.entries()) {
    const near = new Set<string>();
    for (let at = first; at < places.length && (places[at]?.index ?? 0) < index + EXCERPT_ROOM; at += 1) {
      near.add(places[at]?.word ?? '');
    }
    // The last beginning of the first such place: words that stand everywhere do not pull it forward.
    if (near.size > most || (near.size === most && index < best + EXCERPT_ROOM)) {
      [best, most] = [index, near.size];
    }
  }
  return best;
}
