/** What the whole page knows: signals that views read and actions write. */
import { computed, signal } from '@preact/signals';

import type { Folder, Mode, StatusResult, Thread } from '../protocol';
import { route } from './route';
import type { Turn } from './turn';

/** Where to look, and how that is called: a folder's URI, a pattern, or everything. */
export type ChosenScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'folder'; readonly uri: string }
  | { readonly kind: 'files'; readonly glob: string }
  | { readonly kind: 'document'; readonly uri: string };

/** This tab of the browser: another one has questions of its own. A reload is the same tab. */
export const tab = sessionStorage.getItem('lens.tab') ?? crypto.randomUUID();
sessionStorage.setItem('lens.tab', tab);

export const folders = signal<readonly Folder[]>([]);
export const status = signal<StatusResult | null>(null);
export const threads = signal<readonly Thread[] | null>(null);
/** Questions by the name of their thread. */
export const turnsOf = signal<ReadonlyMap<string, readonly Turn[]>>(new Map());
/** The thread that a question goes to which is asked on the empty page. */
export const fresh = signal(newThread());
/** Whether the program answers. */
export const connected = signal(true);
/** Whether the program does not let us in: a link has to be opened. */
export const locked = signal(false);
/** Whether the language server behind it lives. */
export const serverState = signal<'running' | 'gone'>('running');
/** One sentence for the user, which goes by itself. */
export const notice = signal<{ readonly text: string; readonly bad: boolean } | null>(null);
/** What a screen reader says next. */
export const announcement = signal('');
export const helpIsOpen = signal(false);
export const railIsOpen = signal(false);

export const chosenMode = signal<Mode>('auto');
export const chosenScope = signal<ChosenScope>({ kind: 'everything' });
/** What stands in the ask box. */
export const draft = signal('');

export const thread = computed(() => (route.value.view === 'ask' ? (route.value.thread ?? fresh.value) : null));
export const turns = computed(() => (thread.value === null ? [] : (turnsOf.value.get(thread.value) ?? [])));
export const running = computed(() => turns.value.findLast(({ state }) => state === 'asking'));

/** The name of a thread that nobody used. */
export function newThread(): string {
  return `desktop ${crypto.randomUUID()}`;
}

/** Replaces the questions of a thread. */
export function setTurns(name: string, change: (turns: readonly Turn[]) => readonly Turn[]): void {
  const now = turnsOf.value.get(name) ?? [];
  turnsOf.value = new Map(turnsOf.value).set(name, change(now));
}

/** Changes one question wherever it stands. */
export function changeTurn(key: string, change: (turn: Turn) => Turn): void {
  for (const [name, among] of turnsOf.value) {
    if (among.some((turn) => turn.key === key)) {
      setTurns(name, (all) => all.map((turn) => (turn.key === key ? change(turn) : turn)));
    }
  }
}

const NOTICE_MILLISECONDS = 6000;
let forgetting: ReturnType<typeof setTimeout> | undefined;

/** Tells the user something in passing. */
export function tell(text: string, { bad = false } = {}): void {
  notice.value = { text, bad };
  clearTimeout(forgetting);
  forgetting = setTimeout(() => {
    notice.value = null;
  }, NOTICE_MILLISECONDS);
}

/** Tells what went wrong. */
export function tellFailure(error: unknown): void {
  tell(error instanceof Error ? error.message : String(error), { bad: true });
}
