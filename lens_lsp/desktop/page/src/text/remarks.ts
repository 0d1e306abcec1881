/** What an answer says of itself before its first word. */

const UNREAD = /^Not read yet: ([\d,]+) of ([\d,]+) documents\.(?:\n\n|$)/;

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
  const [unread, documents] = found.slice(1).map((number) => Number(number.replaceAll(',', '')));
  return { said: answer.slice(found[0].length), unread: { unread: unread ?? 0, documents: documents ?? 0 } };
}
