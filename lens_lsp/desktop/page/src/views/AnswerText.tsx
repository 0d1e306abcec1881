/** The words of an answer as they come; its `[n]` are buttons that lead to their passages. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { openPassage } from '../state/source';
import type { Passage, Turn } from '../state/turn';
import { renderedAnswer } from '../text/markdown';
import { replaceCitations, withoutForeignMarks } from '../text/marking';
import { withoutRemark } from '../text/remarks';
import { words } from '../words';
import { hidePopover, showPopover } from './Popover';

/** Characters: more would hold the page up, and nobody reads it here. */
const LONGEST_SHOWN = 100_000;

export function AnswerText({ turn }: { readonly turn: Turn }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const { passages, key } = turn;
  const { said, unread } = withoutRemark(turn.answer);
  const answer = said.slice(0, LONGEST_SHOWN);
  const latest = useRef(passages);
  latest.current = passages;
  // Only these change the words: who stands on a citation keeps the focus when its passage is looked up again.
  const cited = passages.flatMap((passage) => (passage.cited ? [passage.n] : [])).join();
  useLayoutEffect(() => {
    const rendered = renderedAnswer(withoutForeignMarks(answer));
    const numbers = new Set(cited.split(',').map(Number));
    replaceCitations(rendered, (n) =>
      numbers.has(n) ? citation(key, n, () => latest.current.find((passage) => passage.n === n)) : undefined,
    );
    for (const paragraph of rendered.querySelectorAll('p')) {
      // A paragraph that is emphasised as a whole says something about the answer.
      const [only, ...others] = paragraph.childNodes;
      paragraph.classList.toggle('aside', others.length === 0 && only?.nodeName === 'EM');
    }
    place.current?.replaceChildren(rendered);
    return hidePopover;
  }, [answer, cited, key]);
  const calculated = turn.result?.computation;
  return (
    <section class="answer" aria-label={words.turn.answer}>
      <div class="prose" ref={place} />
      {said.length > LONGEST_SHOWN && <p class="aside">{words.turn.shortened}</p>}
      {turn.checking && <p class="aside">{turn.state === 'asking' ? words.turn.checking : words.turn.unchecked}</p>}
      {unread !== null && <p class="aside">{words.turn.notRead(unread.unread, unread.documents)}</p>}
      {calculated != null && calculated.value !== null && (
        <p class="computed">
          {words.turn.computed(calculated.expression, [calculated.value, calculated.unit].filter(Boolean).join(' '))}
        </p>
      )}
    </section>
  );
}

/** The button of `[n]`, for what its passage is when the button is used. */
function citation(turn: string, n: number, passage: () => Passage | undefined): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'cite';
  button.textContent = String(n);
  button.setAttribute('aria-label', words.card.citation(n));
  const show = () => {
    const now = passage();
    if (now !== undefined) {
      showPopover(button, now);
    }
  };
  button.addEventListener('mouseenter', show);
  button.addEventListener('focus', show);
  button.addEventListener('mouseleave', () => hidePopover());
  button.addEventListener('blur', () => hidePopover({ now: true }));
  button.addEventListener('click', () => {
    const now = passage();
    hidePopover({ now: true });
    if (now !== undefined) {
      void openPassage(turn, now);
    }
  });
  return button;
}
