/** The passage behind a citation, beside it: shown while the pointer or the focus is there. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Passage } from '../state/turn';
import { PassageText, placeOfPassage } from './PassageCard';

const ID = 'cited-passage';
/** The pointer may take a moment from the citation to the passage. */
const LINGER_MILLISECONDS = 180;
const MARGIN = 12;

const shown = signal<{ readonly anchor: HTMLElement; readonly passage: Passage } | null>(null);
let hiding: ReturnType<typeof setTimeout> | undefined;

export function showPopover(anchor: HTMLElement, passage: Passage): void {
  clearTimeout(hiding);
  anchor.setAttribute('aria-describedby', ID);
  shown.value = { anchor, passage };
}

export function hidePopover({ now = false } = {}): void {
  clearTimeout(hiding);
  const hide = () => {
    shown.value?.anchor.removeAttribute('aria-describedby');
    shown.value = null;
  };
  if (now) {
    hide();
  } else {
    hiding = setTimeout(hide, LINGER_MILLISECONDS);
  }
}

export function Popover(): JSX.Element | null {
  const box = useRef<HTMLDivElement>(null);
  const now = shown.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (now === null || element === null) {
      return;
    }
    const { left, top, bottom } = now.anchor.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const x = Math.max(MARGIN, Math.min(left - MARGIN, innerWidth - width - MARGIN));
    const below = bottom + height + MARGIN < innerHeight;
    element.style.left = `${x}px`;
    element.style.top = `${below ? bottom + 6 : Math.max(MARGIN, top - height - 6)}px`;
  }, [now]);
  useLayoutEffect(() => {
    if (now === null) {
      return;
    }
    const hideOnEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        event.preventDefault();
        hidePopover({ now: true });
      }
    };
    document.addEventListener('keydown', hideOnEscape, { capture: true });
    return () => document.removeEventListener('keydown', hideOnEscape, { capture: true });
  }, [now]);
  if (now === null) {
    return null;
  }
  return (
    <div
      id={ID}
      ref={box}
      role="tooltip"
      class="popover"
      onMouseEnter={() => clearTimeout(hiding)}
      onMouseLeave={() => hidePopover()}
    >
      <PassageText passage={now.passage} />
      <p class="card-place">{placeOfPassage(now.passage)}</p>
    </div>
  );
}
