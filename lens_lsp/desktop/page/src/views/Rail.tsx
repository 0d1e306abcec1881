/** Where one can go: views, and the threads of before. On a narrow page it is a drawer behind a button. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

import { startFresh } from '../keys';
import type { Thread } from '../protocol';
import { deleteThread } from '../state/knowing';
import { helpIsOpen, pin, pinned, railIsOpen, tellFailure, threads, turnsOf } from '../state/page';
import { go, hashOf, type Route, route } from '../state/route';
import { editor } from '../surface';
import { when, words } from '../words';
import { ConfirmDialog } from './Dialog';
import { Icon } from './icons';

/** Threads that are listed at once: more take long to draw. */
const PAGE = 200;
const VIEWS = [
  ...(editor === undefined ? ([['sources', { view: 'sources' }]] as const) : []),
  ['map', { view: 'map', cluster: null }],
  ['sent', { view: 'sent' }],
  ...(editor === undefined ? ([['settings', { view: 'settings' }]] as const) : []),
] as const satisfies readonly (readonly [string, Route])[];

function leave(to: Route): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    railIsOpen.value = false;
    go(to);
  };
}

export function TopBar(): JSX.Element {
  return (
    <header class="top">
      <button
        type="button"
        class="quiet"
        data-tip={words.navigation.open}
        aria-label={words.navigation.open}
        aria-expanded={railIsOpen.value}
        onClick={() => {
          railIsOpen.value = !railIsOpen.value;
        }}
      >
        <Icon name="menu" />
        <span class="word">{words.navigation.threads}</span>
      </button>
      <span class="wordmark">{words.name}</span>
      <button
        type="button"
        class="quiet"
        data-tip={words.navigation.fresh}
        aria-label={words.navigation.fresh}
        onClick={startFresh}
      >
        <Icon name="plus" />
        <span class="word">{words.navigation.fresh}</span>
      </button>
    </header>
  );
}

export function Rail(): JSX.Element {
  return (
    <nav class={railIsOpen.value ? 'rail open' : 'rail'} aria-label={words.navigation.label}>
      <div class="rail-head">
        <span class="wordmark">
          {editor === undefined && <img src="/static/icon.svg" alt="" width="22" height="22" />}
          {words.name}
        </span>
      </div>
      <button type="button" class="fresh" onClick={home}>
        <Icon name="plus" />
        {words.navigation.fresh}
        <Key name="n" />
      </button>
      <Threads />
      <ul class="views">
        {VIEWS.map(([name, to]) => (
          <li key={name}>
            <a href={hashOf(to)} aria-current={route.value.view === name ? 'page' : undefined} onClick={leave(to)}>
              <Icon name={name} />
              {words.navigation[name]}
            </a>
          </li>
        ))}
        <li>
          <button
            type="button"
            onClick={() => {
              helpIsOpen.value = true;
            }}
          >
            <Icon name="help" />
            {words.navigation.help}
            <Key name="?" />
          </button>
        </li>
      </ul>
    </nav>
  );
}

/** A shortcut, for the eye: the help sheet tells it to everybody. */
function Key({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  );
}

function home(event: Event): void {
  event.preventDefault();
  railIsOpen.value = false;
  startFresh();
}

function Threads(): JSX.Element {
  const filter = useSignal('');
  const most = useSignal(PAGE);
  const wanted = filter.value.trim().toLowerCase();
  const kept = (threads.value ?? []).filter(({ questions }) => questions.length > 0);
  const all = [...begunThreads(kept), ...kept];
  const found = all.filter((thread) => thread.questions.some(({ typed }) => typed.toLowerCase().includes(wanted)));
  const onTop = ({ name }: Thread) => pinned.value.includes(name);
  const shown = [...found.filter(onTop), ...found.filter((thread) => !onTop(thread))];
  return (
    <section class="threads" aria-label={words.navigation.threads}>
      <h2>{words.navigation.threads}</h2>
      {all.length > 6 && (
        <input
          type="search"
          aria-label={words.navigation.filter}
          placeholder={words.navigation.filter}
          value={filter.value}
          onInput={({ currentTarget }) => {
            filter.value = currentTarget.value;
            most.value = PAGE;
          }}
        />
      )}
      {threads.value !== null && all.length === 0 && <p class="hint">{words.navigation.noThreads}</p>}
      <ul>
        {shown.slice(0, most.value).map((thread) => (
          <ThreadLink key={thread.name} thread={thread} />
        ))}
      </ul>
      {shown.length > most.value && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            most.value += PAGE;
          }}
        >
          {words.navigation.more(shown.length - most.value)}
        </button>
      )}
    </section>
  );
}

/** Threads whose first question still runs: nothing is kept of them yet. */
function begunThreads(kept: readonly Thread[]): Thread[] {
  const known = new Set(kept.map(({ name }) => name));
  return [...turnsOf.value].flatMap(([name, turns]) => {
    const [first] = turns;
    if (first === undefined || known.has(name)) {
      return [];
    }
    const asked = new Date().toISOString();
    const question = { typed: first.question, question: first.question, asked, cluster: null, answerUri: null };
    return [{ workspace: '', name, asked, questions: [question] }];
  });
}

function ThreadLink({ thread }: { readonly thread: Thread }): JSX.Element {
  const to: Route = { view: 'ask', thread: thread.name };
  const here = route.value.view === 'ask' && route.value.thread === thread.name;
  const deleting = useSignal(false);
  const onTop = pinned.value.includes(thread.name);
  const title = thread.questions[0]?.typed ?? thread.name;
  const count = thread.questions.length > 1 ? words.navigation.questions(thread.questions.length) : null;
  const runs = turnsOf.value.get(thread.name)?.some(({ state }) => state === 'asking') ?? false;
  return (
    <li>
      <a
        href={hashOf(to)}
        aria-current={here ? 'page' : undefined}
        title={[title, count, when(thread.asked)].filter(Boolean).join('\n')}
        onClick={leave(to)}
      >
        <span class="thread-title">{title}</span>
        <span class="thread-more">
          {runs && <span class="pulse" aria-label={words.turn.needStatus.searching} role="img" />}
          {count !== null && (
            <>
              <span aria-hidden="true">{thread.questions.length}</span>
              <span class="sr">{count}</span>
            </>
          )}
        </span>
      </a>
      <span class="thread-acts">
        <Act icon="pin" label={onTop ? words.navigation.unpin : words.navigation.pin} about={title} on={onTop}>
          {() => pin(thread.name)}
        </Act>
        {!runs && (
          <Act icon="bin" label={words.navigation.delete} about={title}>
            {() => {
              deleting.value = true;
            }}
          </Act>
        )}
      </span>
      {deleting.value && (
        <DeleteDialog
          thread={thread.name}
          title={title}
          close={() => {
            deleting.value = false;
          }}
        />
      )}
    </li>
  );
}

interface ActProps {
  readonly icon: 'pin' | 'bin';
  readonly label: string;
  readonly about: string;
  readonly on?: boolean;
  readonly children: () => void;
}

/** A small button beside a thread. */
function Act({ icon, label, about, on, children }: ActProps): JSX.Element {
  return (
    <button
      type="button"
      class="quiet"
      title={label}
      aria-label={`${label} ${about}`}
      aria-pressed={on}
      onClick={children}
    >
      <Icon name={icon} />
    </button>
  );
}

interface DeleteProps {
  readonly thread: string;
  readonly title: string;
  readonly close: () => void;
}

function DeleteDialog({ thread, title, close }: DeleteProps): JSX.Element {
  const drop = () => {
    deleteThread(thread).catch(tellFailure).finally(close);
  };
  return (
    <ConfirmDialog title={words.navigation.deleteTitle} label={words.navigation.deleteDo} act={drop} close={close}>
      <p>{words.navigation.deleteMeans(title)}</p>
    </ConfirmDialog>
  );
}
