/** The question, where to look for its answer, and who words it. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { command } from '../api';
import { focusAtFirst } from '../keys';
import type { DryRunResult, Mode, Scope } from '../protocol';
import { preview, stop, submit } from '../state/asking';
import { type ChosenScope, chosenMode, chosenScope, draft, folders, running, status, tellFailure } from '../state/page';
import { source } from '../state/source';
import { narrowed } from '../state/sources';
import { editor } from '../surface';
import { splitPath } from '../text/places';
import { words } from '../words';
import { Icon } from './icons';
import { PreviewDialog } from './PreviewDialog';
import { StandingLine } from './StandingLine';

const TALLEST = 220;

export function AskBox({ followUp }: { readonly followUp: boolean }): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  const shown = useSignal<DryRunResult | null>(null);
  const question = draft.value.trim();
  useEffect(focusAtFirst, []);
  useEffect(() => {
    const area = box.current;
    if (area !== null && !CSS.supports('field-sizing', 'content')) {
      area.style.height = 'auto';
      area.style.height = `${Math.min(area.scrollHeight, TALLEST)}px`;
    }
  }, [draft.value]);
  const ask = (event?: Event) => {
    event?.preventDefault();
    if (question !== '') {
      void submit(question);
    }
  };
  const look = () => {
    preview(question).then((result) => {
      shown.value = result;
    }, tellFailure);
  };
  const now = running.value;
  /** Beside the letters, too, a click into the box means the box. */
  const intoBox = ({ target }: Event) => {
    if (target instanceof Element && target.closest('button, select, input, a, textarea') === null) {
      box.current?.focus();
    }
  };
  return (
    <form class="ask" onSubmit={ask} onPointerUp={intoBox}>
      <div class="ask-field">
        <textarea
          id="question"
          ref={box}
          rows={1}
          maxLength={4000}
          aria-label={words.ask.label}
          aria-describedby="who-answers"
          placeholder={followUp ? words.ask.followUp : words.ask.placeholder}
          value={draft.value}
          onInput={({ currentTarget }) => {
            draft.value = currentTarget.value;
          }}
          onKeyDown={(event) => {
            // Enter also ends the choice of an input method: then it asks nothing.
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
              ask(event);
            }
          }}
        />
        {now !== undefined && question === '' ? (
          <button type="button" class="primary" onClick={() => void stop(now)}>
            <Icon name="stop" />
            <span>{words.ask.stop}</span>
          </button>
        ) : (
          <button type="submit" class="primary" disabled={question === ''}>
            <Icon name="ask" />
            <span>{words.ask.submit}</span>
          </button>
        )}
      </div>
      <div class="ask-options">
        <ScopeChoice />
        <ModeChoice />
        <button type="button" class="quiet" disabled={question === ''} title={words.ask.preview} onClick={look}>
          <Icon name="preview" />
          <span>{words.ask.preview}</span>
        </button>
      </div>
      <StandingLine />
      {shown.value !== null && (
        <PreviewDialog
          result={shown.value}
          close={() => {
            shown.value = null;
          }}
        />
      )}
    </form>
  );
}

function ModeChoice(): JSX.Element {
  const offline = status.value?.judge?.endpoint == null;
  return (
    <label class="choice">
      <span class="sr">{words.ask.mode}</span>
      <select
        value={chosenMode.value}
        onChange={({ currentTarget }) => {
          chosenMode.value = currentTarget.value as Mode;
        }}
      >
        {(['auto', 'evidence', 'fast', 'deep'] as const).map((mode) => (
          <option key={mode} value={mode} disabled={offline && (mode === 'fast' || mode === 'deep')}>
            {words.ask.modes[mode]}
          </option>
        ))}
      </select>
    </label>
  );
}

const EVERYTHING = 'everything';
const FILES = 'files';
const CHOSEN = 'chosen';
const CHOOSE = 'choose';

function optionOf(scope: ChosenScope): string {
  switch (scope.kind) {
    case 'folder':
      return `folder ${scope.uri}`;
    case 'document':
      return `document ${scope.uri}`;
    case 'files':
      return FILES;
    case 'chosen':
      return CHOSEN;
    case 'everything':
      return EVERYTHING;
  }
}

function scopeFrom(value: string): ChosenScope {
  const [kind = '', uri = ''] = value.split(' ', 2);
  switch (kind) {
    case 'folder':
      return { kind, uri };
    case 'document':
      return { kind, uri };
    case FILES:
      return { kind: 'files', glob: '**/*.md' };
    default:
      return { kind: 'everything' };
  }
}

/** Has the editor ask for it: there files and folders are at hand. */
async function chooseInEditor(): Promise<void> {
  try {
    const found = (await command('scope')) as { readonly name: string; readonly scope: Scope } | null;
    if (found !== null) {
      chosenScope.value = { kind: 'chosen', ...found };
    }
  } catch (error) {
    tellFailure(error);
  }
}

function ScopeChoice(): JSX.Element {
  const chosen = chosenScope.value;
  const open = source.value?.uri ?? (chosen.kind === 'document' ? chosen.uri : null);
  return (
    <>
      <label class="choice">
        <span class="sr">{words.ask.scope}</span>
        <select
          value={optionOf(chosen)}
          title={chosen.kind === 'chosen' ? chosen.name : undefined}
          onChange={({ currentTarget }) => {
            if (currentTarget.value === CHOOSE) {
              currentTarget.value = optionOf(chosen);
              void chooseInEditor();
            } else if (currentTarget.value !== CHOSEN) {
              chosenScope.value = scopeFrom(currentTarget.value);
            }
          }}
        >
          <option value={EVERYTHING}>{narrowed.value ? words.sources.chosen : words.ask.everything}</option>
          {(folders.value.length > 1 || chosen.kind === 'folder') &&
            folders.value.map(({ uri, name }) => (
              <option key={uri} value={`folder ${uri}`}>
                {name}
              </option>
            ))}
          {open !== null && (
            <option value={`document ${open}`}>{words.ask.thisDocument(decodeURIComponent(splitPath(open)[1]))}</option>
          )}
          <option value={FILES}>{words.ask.pattern}</option>
          {chosen.kind === 'chosen' && <option value={CHOSEN}>{chosen.name}</option>}
          {editor !== undefined && <option value={CHOOSE}>{words.ask.choose}</option>}
        </select>
      </label>
      {chosen.kind === 'files' && (
        <input
          class="pattern"
          aria-label={words.ask.patternLabel}
          value={chosen.glob}
          onInput={({ currentTarget }) => {
            chosenScope.value = { kind: 'files', glob: currentTarget.value };
          }}
        />
      )}
    </>
  );
}
