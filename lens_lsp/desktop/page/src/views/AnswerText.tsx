/** The words of an answer as they come; its `[n]` are buttons that lead to their passages. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { openPassage } from '../state/source';
import type { Passage, Turn } from '../state/turn';
import { renderedAnswer } from '../text/markdown';
import { replaceCitations } from '../text/marking';
import { words } from '../words';
import { hidePopover, showPopover } from './Popover';

export function AnswerText({ turn }: { readonly turn: Turn }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const { answer, passages, key } = turn;
  useLayoutEffect(() => {
    const rendered = renderedAnswer(answer);
    const cited = new Map(passages.filter((passage) => passage.cited).map((passage) => [passage.n, passage]));
    replaceCitations(rendered, (n) => {
      const passage = cited.get(n);
      return passage && citation(key, passage);
    });
    for (const paragraph of rendered.querySelectorAll('p')) {
      // A paragraph that is emphasised as a whole says something about the answer.
      const [only, ...others] = paragraph.childNodes;
      paragraph.classList.toggle('aside', others.length === 0 && only?.nodeName === 'EM');
    }
    place.current?.replaceChildren(rendered);
    return hidePopover;
  }, [answer, passages, key]);
  const calculated = turn.result?.computation;
  return (
    <section class="answer" aria-label={words.turn.answer}>
      <div class="prose" ref={place} />
      {calculated != null && calculated.value !== null && (
        <p class="computed">
          {words.turn.computed(calculated.expression, [calculated.value, calculated.unit].filter(Boolean).join(' '))}
        </p>
      )}
    </section>
  );
}

function citation(turn: string, passage: Passage): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'cite';
  button.textContent = String(passage.n);
  button.setAttribute('aria-label', words.card.citation(passage.n));
  const show = () => showPopover(button, passage);
  button.addEventListener('mouseenter', show);
  button.addEventListener('focus', show);
  button.addEventListener('mouseleave', () => hidePopover());
  button.addEventListener('blur', () => hidePopover({ now: true }));
  button.addEventListener('click', () => {
    hidePopover({ now: true });
    void openPassage(turn, passage);
  });
  return button;
}
