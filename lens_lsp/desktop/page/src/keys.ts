/** Keys that work wherever the focus is. What is written in fields is left alone, and so are the browser's own keys. */

import { command } from './api';
import { stop } from './state/asking';
import { recheck } from './state/knowing';
import { fresh, helpIsOpen, newThread, railIsOpen, running, tellFailure, turns } from './state/page';
import { go, ledToThread } from './state/route';
import { closeSource, openInEditor, source, step } from './state/source';
import { letters } from './state/theme';
import { editor } from './surface';
import { copyAnswer } from './views/copy';

type Action = () => void;

const LETTERS: Readonly<Record<string, Action>> = {
  '/': focusQuestion,
  '?': () => {
    helpIsOpen.value = true;
  },
  j: () => focusPassage(1),
  k: () => focusPassage(-1),
  e: () => void openInEditor(),
  c: () => void copyAnswer(turns.value.findLast(({ answer }) => answer !== '')),
  r: () => void recheck(turns.value),
  n: startFresh,
  t: focusThreads,
  m: () => go({ view: 'map', cluster: null }),
  s: () => go({ view: 'sent' }),
  ',': () => (editor === undefined ? go({ view: 'settings' }) : void command('settings').catch(tellFailure)),
};

/** The empty page, ready for a question. */
export function startFresh(): void {
  fresh.value = newThread();
  closeSource();
  go({ view: 'ask', thread: null });
  requestAnimationFrame(focusQuestion);
}

/** Puts the focus into the ask box; shows it first. */
export function focusQuestion(): void {
  const box = document.querySelector<HTMLTextAreaElement>('#question');
  if (box === null) {
    go({ view: 'ask', thread: null });
    requestAnimationFrame(() => document.querySelector<HTMLTextAreaElement>('#question')?.focus());
  } else {
    box.focus();
  }
}

/** Nobody has pressed or clicked anything yet but in the ask box, which may be drawn anew under the pointer. */
let untouched = true;

/**
 * Puts the focus of a page that was just opened into the ask box: unless something else has it, or a link led to an
 * answer. In an editor it waits until the view has the focus, which it would take from what is written elsewhere.
 */
export function focusAtFirst(): void {
  const { activeElement } = document;
  const elsewhere = activeElement !== null && activeElement !== document.body;
  const away = editor !== undefined && !document.hasFocus();
  if (untouched && !ledToThread && !elsewhere && !away && document.querySelector('dialog[open]') === null) {
    document.querySelector<HTMLElement>('#question')?.focus({ preventScroll: true });
  }
}

function focusThreads(): void {
  railIsOpen.value = true;
  requestAnimationFrame(() => {
    const rail = document.querySelector('.rail');
    (
      rail?.querySelector<HTMLElement>('.threads a[aria-current]') ??
      rail?.querySelector<HTMLElement>('.threads a, input')
    )?.focus();
  });
}

/** Moves the focus among the passages that are shown. */
export function focusPassage(by: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.card-open')];
  const at = cards.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? 0 : cards.length - 1) : Math.min(Math.max(at + by, 0), cards.length - 1);
  cards[next]?.focus();
  cards[next]?.scrollIntoView({ block: 'nearest' });
}

function inField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

function closeWhatIsOpen(): void {
  const question = document.querySelector<HTMLTextAreaElement>('#question');
  if (railIsOpen.value) {
    railIsOpen.value = false;
  } else if (source.value !== null) {
    closeSource();
  } else if (running.value !== undefined) {
    void stop(running.value);
  } else if (document.activeElement === question) {
    question?.blur();
  }
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]') !== null) {
    return;
  }
  if (event.key === 'F4' && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    void step(event.shiftKey ? -1 : 1);
  } else if (event.key === 'Escape') {
    closeWhatIsOpen();
  } else if (!event.ctrlKey && !event.altKey && !event.metaKey && letters.value && !inField(event.target)) {
    const action = LETTERS[event.key];
    if (action !== undefined) {
      event.preventDefault();
      action();
    }
  }
}

export function followKeys(): void {
  document.addEventListener('keydown', pressed);
  for (const touch of ['keydown', 'pointerdown']) {
    document.addEventListener(
      touch,
      ({ target }) => {
        untouched &&= target instanceof Element && target.closest('.ask') !== null;
      },
      { capture: true },
    );
  }
  addEventListener('focus', focusAtFirst);
}
