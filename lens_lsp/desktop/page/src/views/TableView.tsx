import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

import type { Stretch } from '../text/offsets';
import { type Cell, recordsOf, separatorOf } from '../text/records';
import { words } from '../words';
import { marked } from './LinesView';

const AROUND = 200;
/** Records that are looked at; a longer table is shown as far as this. */
const MOST = 20_000;

interface Props {
  readonly text: string;
  readonly path: string;
  readonly at: Stretch | undefined;
}

/** A table: its first record as its header, and the records around the passage. */
export function TableView({ text, path, at }: Props): JSX.Element {
  const around = useSignal(AROUND);
  const [header, ...rows] = recordsOf(text, separatorOf(path, text), MOST);
  const cited =
    at === undefined
      ? 0
      : Math.max(
          0,
          rows.findIndex(({ cells }) => (cells.at(-1)?.end ?? 0) >= at.start),
        );
  const from = Math.max(0, cited - around.value);
  const to = Math.min(rows.length, cited + around.value);
  const more = (hidden: number) =>
    hidden > 0 && (
      <button
        type="button"
        class="more"
        onClick={() => {
          around.value += AROUND;
        }}
      >
        {words.source.moreRows(Math.min(AROUND, hidden))}
      </button>
    );
  return (
    <>
      {more(from)}
      <table class="records">
        <thead>
          <tr>
            <th scope="col" class="row-number">
              #
            </th>
            {header?.cells.map((cell) => (
              <th key={cell.start} scope="col">
                {inCell(cell, at)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(from, to).map(({ line, cells }) => (
            <tr key={line}>
              <th scope="row" class="row-number">
                {line}
              </th>
              {cells.map((cell) => (
                <td key={cell.start}>{inCell(cell, at)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more(rows.length - to)}
    </>
  );
}

/** A cell in quotes is marked as a whole: what stands in the text is not what is shown. */
function inCell(cell: Cell, at: Stretch | undefined): ReturnType<typeof marked> {
  if (at === undefined || at.end <= cell.start || at.start >= cell.end) {
    return cell.text;
  }
  const plain = cell.end - cell.start === cell.text.length;
  return plain
    ? marked(cell.text, Math.max(0, at.start - cell.start), Math.min(cell.text.length, at.end - cell.start))
    : marked(cell.text, 0, cell.text.length);
}
