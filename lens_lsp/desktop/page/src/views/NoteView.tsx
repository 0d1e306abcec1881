import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { renderedNote } from '../text/markdown';
import { markBetween, withMarks } from '../text/marking';
import type { Stretch } from '../text/offsets';
import { words } from '../words';
import { LinesView } from './LinesView';

const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/;

interface Props {
  readonly text: string;
  readonly at: Stretch | undefined;
}

/** Markdown, rendered. Where the passage cannot be marked in that, the text as it is written. */
export function NoteView({ text, at }: Props): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const crossed = useSignal(false);
  useLayoutEffect(() => {
    const front = FRONT_MATTER.exec(text)?.[0].length ?? 0;
    const marked = at === undefined ? text : withMarks(text, at);
    const rendered =
      marked === undefined || (at !== undefined && at.start < front) ? null : renderedNote(marked.slice(front));
    crossed.value = rendered === null || (at !== undefined && !markBetween(rendered));
    place.current?.replaceChildren(...(crossed.value || rendered === null ? [] : [rendered]));
  }, [text, at?.start, at?.end]);
  return (
    <>
      <div class="prose note" ref={place} hidden={crossed.value} />
      {crossed.value && (
        <>
          <p class="hint">{words.source.notRendered}</p>
          <LinesView text={text} at={at} />
        </>
      )}
    </>
  );
}
