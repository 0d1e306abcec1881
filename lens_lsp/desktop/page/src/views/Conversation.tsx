/** A thread: its questions with their answers, and the ask box below them; an empty one is the ask box alone. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { folders, recent, thread, turns } from '../state/page';
import { words } from '../words';
import { AskBox } from './AskBox';
import { Home } from './Home';
import { Popover } from './Popover';
import { TurnView } from './TurnView';

export function Conversation(): JSX.Element {
  const shown = turns.value;
  const last = shown.at(-1)?.key;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown.length > 0) {
      end.current?.lastElementChild?.scrollIntoView({ block: 'start' });
    }
  }, [last, thread.value]);
  if (shown.length === 0) {
    return (
      <div class="welcome">
        <h1>{words.ask.title}</h1>
        <AskBox followUp={false} />
        {recent.value !== undefined ? (
          <Home />
        ) : (
          folders.value.length > 0 && <p class="folders">{words.ask.folders(folders.value.map(({ name }) => name))}</p>
        )}
      </div>
    );
  }
  return (
    <>
      <div class="conversation" ref={end}>
        {shown.map((turn, at) => (
          <TurnView key={turn.key} turn={turn} first={at === 0} />
        ))}
      </div>
      <div class="dock">
        <AskBox followUp={true} />
      </div>
      <Popover />
    </>
  );
}
