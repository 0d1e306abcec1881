/** Places in texts: code points as the engine counts them, UTF-16 units as the editor does. */

/** From where to where, in UTF-16 units. */
export type Units = readonly [start: number, end: number];

/** Offsets in code points as offsets in UTF-16 units, clamped to the text. */
export function unitsOf(text: string, span: readonly [number, number]): Units {
  let start = text.length;
  let points = 0;
  for (let at = 0; at < text.length; points += 1) {
    if (points === span[0]) {
      start = at;
    }
    if (points >= span[1]) {
      return [Math.min(start, at), at];
    }
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return [start, text.length];
}

/**
 * Where a quote stands in a text: the place that is nearest to where it stood, in UTF-16 units. Undefined where the text
 * does not say so any more. Line ends do not count.
 */
export function quoteIn(text: string, quote: string, near: number): Units | undefined {
  const wanted = withLineEndsOf(text, quote);
  if (wanted === '') {
    return undefined;
  }
  let best: Units | undefined;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (best !== undefined && Math.abs(at - near) > Math.abs(best[0] - near)) {
      break;
    }
    best = [at, at + wanted.length];
  }
  return best;
}

function withLineEndsOf(text: string, quote: string): string {
  return quote.replace(/\r\n?|\n/g, text.includes('\r\n') ? '\r\n' : '\n');
}
