/** A passage: its number, its words, where it stands, and whether it still stands there. */
import { Fragment, type JSX } from 'preact';

import { partsOf } from '../../../../../vscode-extension/src/reading/context';
import { focusPassage } from '../keys';
import { folders } from '../state/page';
import { cardId, cursor, openPassage, source } from '../state/source';
import { lineOf, type Passage } from '../state/turn';
import { editor } from '../surface';
import { kindOf, pathAmong, placeInWords, splitPath } from '../text/places';
import { words } from '../words';
import { StateShape } from './icons';

/** Where a passage stands, in one line. */
export function placeOfPassage(passage: Passage): string {
  const place = placeInWords(passage.path, passage.locator, passage.line);
  const path = shownPath(passage);
  return place === '' ? path : `${path}, ${place}`;
}

/** The path as the searched folders have it, whatever part of them was asked. */
function shownPath({ uri, path }: Passage): string {
  return (uri === null ? undefined : pathAmong(folders.value, uri)) ?? path;
}

export function PassageCard({ turn, passage }: { readonly turn: string; readonly passage: Passage }): JSX.Element {
  const { n, path, locator, heading, checked } = passage;
  const place = placeInWords(path, locator, lineOf(passage));
  const here = (editor !== undefined || source.value !== null) && cursor.value?.turn === turn && cursor.value.n === n;
  const [folder, name] = splitPath(shownPath(passage));
  const arrows = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      focusPassage(event.key === 'ArrowDown' ? 1 : -1);
    }
  };
  const state = checked !== undefined && checked.state !== 'verified' ? ` ${checked.state}` : '';
  return (
    <li
      class={`card${here ? ' here' : ''}${passage.cited ? '' : ' early'}${state}`}
      id={passage.cited ? cardId(turn, n) : undefined}
    >
      <button
        type="button"
        class="card-open"
        aria-label={words.card.label(n, placeOfPassage(passage))}
        aria-current={here ? 'true' : undefined}
        title={words.card.open}
        disabled={passage.uri === null}
        onClick={() => void openPassage(turn, passage)}
        onKeyDown={arrows}
      >
        <span class="card-n" aria-hidden="true">
          {passage.cited ? n : '·'}
        </span>
      </button>
      <div class="card-body">
        <PassageText passage={passage} />
        <p class="card-place">
          <span class="path">
            <span class="folder">{folder}</span>
            {name}
          </span>
          {place !== '' && <span>{place}</span>}
          {heading.length > 0 && <span class="heading">{heading.join(' › ')}</span>}
          {!passage.cited && <span>{words.card.early}</span>}
          <Drift passage={passage} />
        </p>
      </div>
    </li>
  );
}

/** The words of a passage, with what stands around them. */
export function PassageText({ passage }: { readonly passage: Passage }): JSX.Element {
  const plain = kindOf(passage.path) === 'text' ? ' plain' : '';
  return (
    <>
      {partsOf(passage).map(({ start, text, isQuote, gap }) => (
        <Fragment key={start}>
          {gap && <p class="context">…</p>}
          {isQuote ? (
            <blockquote class={`quote${plain}`} tabIndex={mayScroll(text) ? 0 : undefined}>
              {text}
            </blockquote>
          ) : (
            <p class={`context${plain}`}>{text}</p>
          )}
        </Fragment>
      ))}
    </>
  );
}

/** Whether a quote may be longer than its box, so that keys must reach it to scroll: the box holds about six lines. */
export function mayScroll(text: string): boolean {
  return text.length > 250 || text.split('\n').length > 5;
}

function Drift({ passage: { checked } }: { readonly passage: Passage }): JSX.Element | null {
  if (checked === undefined) {
    return null;
  }
  const line = checked.state === 'moved' ? checked.now?.start?.line : undefined;
  return (
    <span class={`state state-${checked.state}`} title={checked.why ?? undefined}>
      <StateShape state={checked.state} />
      <span>
        {line === undefined ? words.card.states[checked.state] : words.card.movedTo(line)}
        {checked.state === 'unverifiable' && `: ${words.card.because(checked.why)}`}
      </span>
    </span>
  );
}
