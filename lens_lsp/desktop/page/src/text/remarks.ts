/** What the program says of an answer in words of its own. */

const UNREAD = /^Not read yet: ([\d,]+) of ([\d,]+) documents\.(?:\n\n|$)/;
const LATE = /^([\d,]+) documents? (?:was|were) not read within the time: `lens read`/;

/** An answer without its remark on documents that were not read, and the numbers of that; null where it has none. */
export interface Remarked {
  readonly said: string;
  readonly unread: { readonly unread: number; readonly documents: number } | null;
}

export function withoutRemark(answer: string): Remarked {
  const found = UNREAD.exec(answer);
  if (found === null) {
    return { said: answer, unread: null };
  }
  const [unread, documents] = found.slice(1).map(numberOf);
  return { said: answer.slice(found[0].length), unread: { unread: unread ?? 0, documents: documents ?? 0 } };
}

/** How many documents a warning says were not read within the time; null where it is about something else. */
export function lateIn(warning: string): number | null {
  const count = LATE.exec(warning)?.[1];
  return count === undefined ? null : numberOf(count);
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}
