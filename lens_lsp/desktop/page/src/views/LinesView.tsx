import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import { lineAt, type Stretch } from '../text/offsets';
import { words } from '../words';

/** Lines around the passage that are there at first, and that each wish for more adds. */
const AROUND = 300;

interface Props {
  readonly text: string;
  readonly at: Stretch | undefined;
}

interface Line {
  readonly number: number;
  readonly start: number;
  readonly text: string;
}

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line, at) => {
    const made = { number: at + 1, start, text: line };
    start += line.length + 1;
    return made;
  });
}

/** Text as it is written, with its line numbers. */
export function LinesView({ text, at }: Props): JSX.Element {
  const above = useSignal(AROUND);
  const below = useSignal(AROUND);
  useEffect(() => {
    above.value = AROUND;
    below.value = AROUND;
  }, [text, at?.start]);
  const lines = linesOf(text);
  const first = at === undefined ? 1 : lineAt(text, at.start);
  const last = at === undefined ? 1 : lineAt(text, at.end);
  const from = Math.max(0, first - 1 - above.value);
  const to = Math.min(lines.length, last + below.value);
  const grow = (side: { value: number }) => () => {
    side.value += AROUND;
  };
  return (
    <div class="lines">
      {from > 0 && (
        <button type="button" class="more" onClick={grow(above)}>
          {words.source.more(Math.min(AROUND, from))}
        </button>
      )}
      {lines.slice(from, to).map((line) => (
        <LineView key={line.number} line={line} at={at} />
      ))}
      {to < lines.length && (
        <button type="button" class="more" onClick={grow(below)}>
          {words.source.more(Math.min(AROUND, lines.length - to))}
        </button>
      )}
    </div>
  );
}

function LineView({
  line: { number, start, text },
  at,
}: {
  readonly line: Line;
  readonly at: Stretch | undefined;
}): JSX.Element {
  const [from, to] =
    at === undefined ? [0, 0] : [at.start - start, at.end - start].map((each) => clamp(each, text.length));
  return (
    <div class={to !== undefined && from !== undefined && to > from ? 'line cited' : 'line'} data-line={number}>
      <code>{marked(text, from ?? 0, to ?? 0)}</code>
    </div>
  );
}

function clamp(at: number, most: number): number {
  return Math.max(0, Math.min(at, most));
}

/** A text whose part from one index to another is marked. */
export function marked(text: string, from: number, to: number): (string | JSX.Element)[] | string {
  return from < to ? [text.slice(0, from), <mark key="mark">{text.slice(from, to)}</mark>, text.slice(to)] : text;
}
