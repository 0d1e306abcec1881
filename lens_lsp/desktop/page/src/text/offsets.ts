/** Spans count code points, as the program does; JavaScript counts UTF-16 units. */

/** The UTF-16 index of each of some ascending offsets in code points. */
export function unitsOf(text: string, offsets: readonly number[]): number[] {
  const units: number[] = [];
  let points = 0;
  let at = 0;
  for (const offset of offsets) {
    while (points < offset && at < text.length) {
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      points += 1;
    }
    units.push(at);
  }
  return units;
}

/** How many code points come before a UTF-16 index. */
export function pointsBefore(text: string, unit: number): number {
  let points = 0;
  for (let at = 0; at < unit; points += 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return points;
}

/** A part of a text in UTF-16 units. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a quote stands in a text: at its span, else where the text holds it exactly once. Undefined where it stands
 * nowhere, or in several places of which none is known to be it.
 */
export function placeOf(text: string, span: readonly [number, number], quote: string): Stretch | undefined {
  const [start = 0, end = 0] = unitsOf(text, span);
  if (text.slice(start, end) === quote) {
    return { start, end };
  }
  const first = text.indexOf(quote);
  const found = quote.length > 0 && first >= 0 && text.indexOf(quote, first + 1) < 0;
  return found ? { start: first, end: first + quote.length } : undefined;
}

/** The number of the line that holds a UTF-16 index, from 1. */
export function lineAt(text: string, unit: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < unit; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}
