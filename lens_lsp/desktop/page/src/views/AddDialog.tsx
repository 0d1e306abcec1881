/** Adds a folder or a file by its path, which is completed as it is typed; says what a drop can do and what not. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';

import * as api from '../api';
import { focusQuestion } from '../keys';
import type { PathChoice } from '../protocol';
import { open } from '../state/opening';
import { adding } from '../state/page';
import { words } from '../words';
import { Dialog } from './Dialog';
import { Icon } from './icons';

const SOON_MILLISECONDS = 80;
/** What is offered while nothing is typed. */
const HOME = '~/';

export function AddDialog({ dropped }: { readonly dropped: string | null }): JSX.Element {
  const typed = useSignal('');
  const choices = useSignal<readonly PathChoice[]>([]);
  const places = useSignal<readonly PathChoice[] | null>(null);
  const failure = useSignal<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const said = useId();
  const close = () => {
    adding.value = null;
  };
  // At once: what is typed while the dialog is drawn belongs in the field, and not on the button that closes it.
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (dropped !== null) {
      api.placesOf(dropped).then(
        (found) => {
          places.value = found;
        },
        () => {
          places.value = [];
        },
      );
    }
  }, [dropped]);
  useEffect(() => {
    const text = typed.value || HOME;
    let stale = false;
    const soon = setTimeout(() => {
      api.completions(text).then(
        (found) => {
          if (!stale) {
            choices.value = found;
          }
        },
        () => undefined, // what is typed can be added all the same
      );
    }, SOON_MILLISECONDS);
    return () => {
      stale = true;
      clearTimeout(soon);
    };
  }, [typed.value]);
  const add = (path: string) => {
    failure.value = null;
    const added = () => {
      close();
      requestAnimationFrame(focusQuestion);
    };
    open(path).then(added, (error: Error) => {
      failure.value = error.message;
    });
  };
  const choose = ({ path, folder }: PathChoice) => {
    if (folder) {
      typed.value = `${path}/`;
      field.current?.focus();
    } else {
      add(path);
    }
  };
  return (
    <Dialog title={words.home.addTitle} close={close}>
      {dropped !== null && (
        <div class="dropped">
          <p>{words.home.dropped(dropped)}</p>
          {places.value !== null && (
            <p class="hint">{places.value.length > 0 ? words.home.places : words.home.noPlaces(dropped)}</p>
          )}
          <Choices choices={places.value ?? []} choose={({ path }) => add(path)} />
        </div>
      )}
      <form
        class="add-path"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.value.trim() !== '') {
            add(typed.value.trim());
          }
        }}
      >
        <label class="field">
          <span>{words.home.path}</span>
          <input
            ref={field}
            value={typed.value}
            placeholder="~/Documents"
            spellcheck={false}
            autocomplete="off"
            aria-describedby={said}
            onInput={({ currentTarget }) => {
              typed.value = currentTarget.value;
            }}
          />
          <small id={said}>{words.home.pathHint}</small>
        </label>
        <Choices choices={choices.value} choose={choose} />
        {failure.value !== null && (
          <p class="ending bad" role="alert">
            {failure.value}
          </p>
        )}
        <button type="submit" class="primary" disabled={typed.value.trim() === ''}>
          {words.home.addDo}
        </button>
      </form>
    </Dialog>
  );
}

interface ChoicesProps {
  readonly choices: readonly PathChoice[];
  readonly choose: (choice: PathChoice) => void;
}

function Choices({ choices, choose }: ChoicesProps): JSX.Element | null {
  return choices.length === 0 ? null : (
    <ul class="path-choices" aria-label={words.home.choices}>
      {choices.map((choice) => (
        <li key={choice.path}>
          <button type="button" class="quiet" onClick={() => choose(choice)}>
            <Icon name={choice.folder ? 'folder' : 'document'} />
            <span class="path">{choice.path}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
