/** What the whole page knows: signals that views read and actions write. */
import { computed, effect, signal } from '@preact/signals';

import type {
  Folder,
  Mode,
  Prompt,
  RecentFolder,
  Scope,
  ServerState,
  Standing,
  StatusResult,
  Thread,
} from '../protocol';
import { editor, recall, remember } from '../surface';
import { route } from './route';
import type { Turn } from './turn';

/** Where to look, and how that is called: a folder's URI, a pattern, or everything. */
export type ChosenScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'folder'; readonly uri: string }
  | { readonly kind: 'files'; readonly glob: string }
  | { readonly kind: 'document'; readonly uri: string }
  /** Chosen in the editor, and called so there. */
  | { readonly kind: 'chosen'; readonly name: string; readonly scope: Scope; readonly once?: boolean };

/** This tab of the browser: another one has questions of its own. A reload is the same tab; a window has one view. */
export const tab = editor === undefined ? (sessionStorage.getItem('lens.tab') ?? crypto.randomUUID()) : 'view';
if (editor === undefined) {
  sessionStorage.setItem('lens.tab', tab);
}

export const folders = signal<readonly Folder[]>([]);
/** Folders that were open before and are not now; undefined where nobody keeps them. */
export const recent = signal<readonly RecentFolder[] | undefined>(undefined);
/** What is being added: a path, or the name of what was dropped on the page; null while nothing is. */
export const adding = signal<{ readonly dropped: string | null } | null>(null);
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
export const serverState = signal<ServerState>(editor === undefined ? 'running' : 'starting');
/** Where Lens stands, as the editor's extension says; null in a browser, and before it says anything. */
export const standingTold = signal<Standing | null>(null);
/** What the user is asked apart from any question. */
export const prompts = signal<readonly Prompt[]>([]);
/** One sentence for the user, which goes by itself. */
export const notice = signal<{ readonly text: string; readonly bad: boolean } | null>(null);
/** What a screen reader says next. */
export const announcement = signal('');
export const helpIsOpen = signal(false);
export const railIsOpen = signal(false);

/** A view that is hidden is forgotten: what was chosen and typed in it is there again when it is shown. */
function kept<T>(name: string, otherwise: T): T {
  const known = editor === undefined ? null : recall(name);
  return known === null ? otherwise : (JSON.parse(known) as T);
}

export const chosenMode = signal(kept<Mode>('mode', 'auto'));
export const chosenScope = signal(kept<ChosenScope>('scope', { kind: 'everything' }));
/** What stands in the ask box. */
export const draft = signal(kept('draft', ''));

if (editor !== undefined) {
  effect(() => remember('mode', JSON.stringify(chosenMode.value)));
  effect(() => remember('scope', JSON.stringify(chosenScope.value)));
  effect(() => remember('draft', JSON.stringify(draft.value)));
}

export const thread = computed(() => (route.value.view === 'ask' ? (route.value.thread ?? fresh.value) : null));
export const turns = computed(() => (thread.value === null ? [] : (turnsOf.value.get(thread.value) ?? [])));
export const running = computed(() => turns.value.findLast(({ state }) => state === 'asking'));

/** The name of a thread that nobody used. */
export function newThread(): string {
  return `${editor === undefined ? 'desktop' : 'window'} ${crypto.randomUUID()}`;
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

/** Threads that stand above the others, by name; a name that is gone does no harm. */
export const pinned = signal<readonly string[]>(JSON.parse(recall('pinned') ?? '[]') as string[]);

const MOST_PINNED = 200;

export function pin(name: string): void {
  const rest = pinned.value.filter((each) => each !== name);
  pinned.value = (rest.length < pinned.value.length ? rest : [name, ...rest]).slice(0, MOST_PINNED);
  remember('pinned', JSON.stringify(pinned.value));
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
