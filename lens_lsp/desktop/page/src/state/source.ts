/** The document beside the answer: which passage is open in it, and the walk from one passage to the next. */
import { computed, signal } from '@preact/signals';

import * as api from '../api';
import { rpc } from '../api';
import type { TextResult } from '../protocol';
import { editor } from '../surface';
import { lineAt, placeOf, type Stretch } from '../text/offsets';
import { pageOf } from '../text/places';
import { tellFailure, turns } from './page';
import type { Passage } from './turn';

/** What can be opened: a passage, or a span of what was sent. */
export interface Opened {
  readonly uri: string;
  readonly path: string;
  readonly span: readonly [number, number];
  readonly quote: string | null;
  readonly locator: Readonly<Record<string, unknown>> | null;
}

/** The open document: `text` null while it is read. */
export interface Source extends Opened {
  readonly text: TextResult | null;
  readonly failure: string | null;
}

export const source = signal<Source | null>(null);
/** The passage that the walk stands on, by the key of its question and its number. */
export const cursor = signal<{ readonly turn: string; readonly n: number } | null>(null);

/** Where the open passage stands in the text; undefined where it is no longer there. */
export const stretch = computed((): Stretch | undefined => {
  const open = source.value;
  if (open?.text == null) {
    return undefined;
  }
  const { text } = open.text;
  return open.quote === null
    ? placeOf(text, open.span, quoteAt(text, open.span))
    : placeOf(text, open.span, open.quote);
});

/** The element that shows a passage, by its id in the page. */
export function cardId(turn: string, n: number): string {
  return `passage-${turn}-${n}`;
}

/** All passages of the shown thread, in the order in which they are shown. */
export const walk = computed(() =>
  turns.value.flatMap((turn) => turn.passages.map((passage) => ({ turn: turn.key, passage }))),
);

function quoteAt(text: string, [start, end]: readonly [number, number]): string {
  return [...text].slice(start, end).join('');
}

let focusBefore: HTMLElement | null = null;

/** Opens a document where a passage stands; the one opened last wins. In an editor that is where documents are read. */
export async function open(what: Opened): Promise<void> {
  if (editor !== undefined) {
    const { uri, span, quote, locator } = what;
    const page = pageOf(locator);
    await api.openInEditor({ uri, span, quote, ...(page !== undefined && { page }) }).catch(tellFailure);
    return;
  }
  if (source.value === null && document.activeElement instanceof HTMLElement) {
    focusBefore = document.activeElement;
  }
  const before = source.value;
  const same = before?.uri === what.uri ? before.text : null;
  const opening: Source = { ...what, text: same, failure: null };
  source.value = opening;
  try {
    const text = await rpc<TextResult>('lens/text', { uri: what.uri });
    if (source.value === opening) {
      source.value = { ...opening, text };
    }
  } catch (error) {
    if (source.value === opening) {
      source.value = { ...opening, text: null, failure: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** Opens a passage; nothing happens where its file is not known yet. */
export async function openPassage(turn: string, passage: Passage): Promise<void> {
  cursor.value = { turn, n: passage.n };
  const now = passage.checked?.state === 'moved' ? passage.checked.now : null;
  const { uri, path, quote, locator } = passage;
  if (uri !== null) {
    await open({ uri, path, quote, span: now?.span ?? passage.span, locator: now?.locator ?? locator });
  }
}

/** Opens the next passage, or the one before: round and round. */
export async function step(by: 1 | -1): Promise<void> {
  const all = walk.value;
  if (all.length === 0) {
    return;
  }
  const at = all.findIndex(({ turn, passage }) => turn === cursor.value?.turn && passage.n === cursor.value.n);
  const next = all.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % all.length);
  if (next !== undefined) {
    await openPassage(next.turn, next.passage);
  }
}

/** Closes the document; the keyboard goes on where it was, or at the passage where that is gone. */
export function closeSource(): void {
  source.value = null;
  const at = cursor.value;
  const card = at && document.getElementById(cardId(at.turn, at.n));
  const back = focusBefore?.isConnected ? focusBefore : card?.querySelector('button');
  back?.focus();
  focusBefore = null;
}

/** Opens the document where the passage stands in the user's editor. */
export async function openInEditor(): Promise<void> {
  const open = source.value;
  if (open === null) {
    return;
  }
  const text = open.text?.text ?? '';
  const start = stretch.value?.start ?? 0;
  const column = start - text.lastIndexOf('\n', start - 1);
  const place = { uri: open.uri, line: lineAt(text, start), column: Math.max(1, column) };
  await api.openInEditor(place).catch(tellFailure);
}
