/** Tables of text with the place of each cell, so that a passage of one can be marked. */
import type { Stretch } from './offsets';

/** A cell: what it says, and where it stands in the text, quotes included. */
export interface Cell extends Stretch {
  readonly text: string;
}

/** A record: its cells, and the line it begins on, from 1. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly Cell[];
}

const BY_SUFFIX: Readonly<Record<string, string>> = { tsv: '\t', tab: '\t', psv: '|' };

/** What separates the cells of a file: by its suffix, else what its first line has more of. */
export function separatorOf(path: string, text: string): string {
  const suffix = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const first = text.slice(0, Math.max(0, text.indexOf('\n')) || text.length);
  const semicolons = first.split(';').length > first.split(',').length;
  return BY_SUFFIX[suffix] ?? (semicolons ? ';' : ',');
}

/** The records of a text, from a UTF-16 index at the beginning of one, at most so many. */
export function recordsOf(text: string, separator: string, most: number): TableRow[] {
  const rows: TableRow[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length && rows.length < most) {
    const cells: Cell[] = [];
    const first = line;
    let ends: string | undefined;
    do {
      const cell = cellAt(text, at, separator);
      cells.push(cell);
      line += text.slice(cell.start, cell.end).split('\n').length - 1;
      ends = text[cell.end];
      at = cell.end + 1;
    } while (ends === separator);
    line += 1;
    rows.push({ line: first, cells });
  }
  return rows;
}

function cellAt(text: string, start: number, separator: string): Cell {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== separator && text[end] !== '\n') {
      end += 1;
    }
    return { text: text.slice(start, end).replace(/\r$/, ''), start, end };
  }
  let end = start + 1;
  while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) {
    end += text[end] === '"' ? 2 : 1;
  }
  const inside = text.slice(start + 1, end).replaceAll('""', '"');
  end = Math.min(end + 1, text.length);
  while (end < text.length && text[end] !== separator && text[end] !== '\n') {
    end += 1;
  }
  return { text: inside, start, end };
}
