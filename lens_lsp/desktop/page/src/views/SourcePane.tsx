/** The document of a passage, beside the answer: as it is best read, with the exact passage marked. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { closeSource, cursor, openInEditor, type Source, step, stretch, walk } from '../state/source';
import { lineAt, pointsBefore } from '../text/offsets';
import { kindOf, locatorWithin, pageOf, placeInWords, splitPath } from '../text/places';
import { words } from '../words';
import { Icon } from './icons';
import { LinesView } from './LinesView';
import { NoteView } from './NoteView';
import { PageView } from './PageView';
import { TableView } from './TableView';

/** A document this long is shown as text only: rendering all of it would keep the page busy. */
const LONGEST_RENDERED = 400_000;

export function SourcePane({ source }: { readonly source: Source }): JSX.Element {
  const pane = useRef<HTMLElement>(null);
  const asText = useSignal(false);
  const [folder, name] = splitPath(source.path);
  useEffect(() => {
    asText.value = false;
    pane.current?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  }, [source.uri]);
  const kind =
    (source.text?.text.length ?? 0) > LONGEST_RENDERED && kindOf(source.path) !== 'pdf' ? 'text' : kindOf(source.path);
  return (
    <aside class="source" ref={pane} aria-label={words.source.label}>
      <header>
        <h2 tabIndex={-1}>
          <span class="folder">{folder}</span>
          {name}
        </h2>
        <p class="card-place">{whereIn(source)}</p>
        <div class="source-tools">
          {kind !== 'text' && <ViewChoice kind={kind} asText={asText} />}
          <Walk />
          <button type="button" class="quiet" title={words.source.editor} onClick={() => void openInEditor()}>
            <Icon name="editor" />
            <span>{words.source.editor}</span>
          </button>
          <button type="button" class="quiet" aria-label={words.close} title={words.close} onClick={closeSource}>
            <Icon name="close" />
          </button>
        </div>
      </header>
      <Body source={source} kind={asText.value ? 'text' : kind} />
    </aside>
  );
}

function whereIn(source: Source): string {
  const at = stretch.value;
  const line = source.text === null || at === undefined ? null : lineAt(source.text.text, at.start);
  return placeInWords(source.path, locatorOf(source), line);
}

/** Where the passage stands now: the document says it better than a passage that may be old. */
function locatorOf(source: Source): Readonly<Record<string, unknown>> | null {
  const at = stretch.value;
  if (source.text === null || at === undefined || source.text.locators.length === 0) {
    return source.locator;
  }
  const { text, locators } = source.text;
  return locatorWithin(locators, pointsBefore(text, at.start), pointsBefore(text, at.end), source.locator);
}

interface ChoiceProps {
  readonly kind: 'markdown' | 'table' | 'pdf';
  readonly asText: { value: boolean };
}

function ViewChoice({ kind, asText }: ChoiceProps): JSX.Element {
  const name = { markdown: words.source.rendered, table: words.source.table, pdf: words.source.page }[kind];
  const choose = (text: boolean) => () => {
    asText.value = text;
  };
  return (
    <fieldset class="toggle" aria-label={words.source.views}>
      <button type="button" aria-pressed={!asText.value} onClick={choose(false)}>
        {name}
      </button>
      <button type="button" aria-pressed={asText.value} onClick={choose(true)}>
        {words.source.text}
      </button>
    </fieldset>
  );
}

function Walk(): JSX.Element | null {
  const all = walk.value;
  const at = all.findIndex(({ turn, passage }) => turn === cursor.value?.turn && passage.n === cursor.value.n);
  if (all.length < 2 || at < 0) {
    return null;
  }
  return (
    <span class="walk">
      <button
        type="button"
        class="quiet"
        aria-label={words.source.previous}
        title={words.source.previous}
        onClick={() => void step(-1)}
      >
        <Icon name="up" />
      </button>
      <span>{words.source.position(at + 1, all.length)}</span>
      <button
        type="button"
        class="quiet"
        aria-label={words.source.next}
        title={words.source.next}
        onClick={() => void step(1)}
      >
        <Icon name="down" />
      </button>
    </span>
  );
}

function Body({ source, kind }: { readonly source: Source; readonly kind: string }): JSX.Element {
  const body = useRef<HTMLDivElement>(null);
  const at = stretch.value;
  useEffect(() => {
    body.current?.querySelector('mark')?.scrollIntoView({ block: 'center' });
  }, [source.text, at?.start, kind]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard, too
    <div class={`source-body source-${kind}`} ref={body} tabIndex={0} role="document" aria-label={source.path}>
      <Shown source={source} kind={kind} />
    </div>
  );
}

function Shown({ source, kind }: { readonly source: Source; readonly kind: string }): JSX.Element {
  if (source.failure !== null) {
    return <p class="ending bad">{words.source.failed(source.failure)}</p>;
  }
  if (source.text === null) {
    return <p class="hint">{words.source.reading}</p>;
  }
  const at = stretch.value;
  const { text } = source.text;
  const page = pageOf(locatorOf(source));
  const gone = at === undefined && (
    <div class="ending bad">
      <p>{words.source.gone}</p>
      <blockquote class="quote">{source.quote}</blockquote>
    </div>
  );
  return (
    <>
      {gone}
      {kind === 'pdf' && page !== undefined ? (
        <PageView uri={source.uri} path={source.path} page={page} quote={source.quote ?? ''} text={text} at={at} />
      ) : kind === 'markdown' ? (
        <NoteView text={text} at={at} />
      ) : kind === 'table' ? (
        <TableView text={text} path={source.path} at={at} />
      ) : (
        <LinesView text={text} at={at} />
      )}
    </>
  );
}
