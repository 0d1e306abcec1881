/** The user's own settings and the key; what a folder brings along can change neither. */
import { useSignal } from '@preact/signals';
import type { JSX, Ref } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import * as api from '../api';
import { loadFolders, loadStatus } from '../state/knowing';
import { folders, tell, tellFailure } from '../state/page';
import { chooseTheme, type Theme, theme } from '../state/theme';
import { words } from '../words';
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language } from '../words/language';
import { Dialog } from './Dialog';
import { LettersChoice } from './LettersChoice';
import { LocalModels } from './LocalModels';

type Settings = api.Preferences['settings'];
const LIMITS = ['calls', 'tokens', 'seconds', 'cost'] as const;

export function SettingsView(): JSX.Element {
  const kept = useSignal<api.Preferences | null>(null);
  const load = () =>
    api.preferences().then((preferences) => {
      kept.value = preferences;
    }, tellFailure);
  useEffect(() => {
    void load();
  }, []);
  return (
    <div class="view">
      <h1 tabIndex={-1}>{words.settings.title}</h1>
      <p class="intro">{words.settings.intro}</p>
      {kept.value !== null && (
        <>
          <ModelForm settings={kept.value.settings} saved={load} />
          <KeyForm state={kept.value.key} changed={load} />
          <ScansForm preferences={kept.value} changed={load} />
        </>
      )}
      <section class="fields">
        <h2>{words.settings.folders}</h2>
        <ul class="folder-list">
          {folders.value.map(({ uri, name }) => (
            <li key={uri}>
              <strong>{name}</strong> <span class="path">{decodeURIComponent(uri.replace(/^file:\/\//, ''))}</span>
            </li>
          ))}
        </ul>
      </section>
      <PageChoices />
    </div>
  );
}

/** What is written in a form, as settings: an empty field takes the setting away. */
function written(form: HTMLFormElement): Settings {
  const entries = [...new FormData(form)].map(([name, value]) => {
    const text = String(value).trim();
    const isNumber = name.startsWith('budget.');
    return [name, text === '' ? null : isNumber ? Number(text) : text] as const;
  });
  return Object.fromEntries(entries);
}

function ModelForm({
  settings,
  saved,
}: {
  readonly settings: Settings;
  readonly saved: () => Promise<void>;
}): JSX.Element {
  const failure = useSignal<string | null>(null);
  /** What is saved once the user agrees to the address in it, and that address. */
  const asking = useSignal<{ readonly settings: Settings; readonly address: string } | null>(null);
  const found = useSignal<Found | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const done = async (said: string) => {
    tell(said);
    await Promise.all([saved(), loadFolders(), loadStatus()]);
  };
  /** Asks the address that was just kept for its models: the only one is taken where none is named. */
  const look = async (address: string, name: string | null) => {
    found.value = 'looking';
    try {
      const models = await api.servedModels();
      const [only] = models;
      if (name === null && only !== undefined && models.length === 1) {
        await take(only);
      } else {
        found.value = name === null ? { address, models } : null;
      }
    } catch (error) {
      found.value = { address, why: (error as Error).message, named: name !== null };
    }
  };
  const take = async (name: string) => {
    await api.keepPreferences({ 'model.name': name }, null);
    if (field.current !== null) {
      field.current.value = name;
    }
    found.value = null;
    await done(words.settings.usedNow(name));
  };
  const keep = (wanted: Settings, agreed: string | null) => {
    asking.value = null;
    failure.value = null;
    found.value = null;
    const [address, name] = [wanted['model.baseUrl'], wanted['model.name'] ?? null];
    const unknown = name === null || address !== settings['model.baseUrl'];
    api.keepPreferences(wanted, agreed).then(
      async () => {
        await done(words.settings.saved);
        if (typeof address === 'string' && unknown) {
          await look(address, name === null ? null : String(name));
        }
      },
      (error: api.Failed) => {
        if (error.code === 'lens.consent') {
          asking.value = { settings: wanted, address: String(wanted['model.baseUrl']) };
        } else {
          failure.value = error.message;
        }
      },
    );
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    keep(written(event.currentTarget as HTMLFormElement), null);
  };
  return (
    <>
      <LocalModels
        use={(address, model) => keep({ 'model.baseUrl': address, 'model.name': model }, null)}
        now={{ address: settings['model.baseUrl'], model: settings['model.name'] }}
      />
      <form class="fields" onSubmit={save}>
        <h2>{words.settings.model}</h2>
        <Field
          name="model.baseUrl"
          label={words.settings.baseUrl}
          hint={words.settings.baseUrlHint}
          settings={settings}
        />
        <Field
          name="model.name"
          label={words.settings.modelName}
          hint={words.settings.modelNameHint}
          settings={settings}
          input={field}
        />
        <div role="status">
          <FoundModels found={found.value} take={(name) => void take(name).catch(tellFailure)} />
        </div>
        <label class="field">
          <span>{words.settings.mode}</span>
          <select name="mode" value={String(settings.mode ?? 'auto')}>
            {(['auto', 'evidence', 'fast', 'deep'] as const).map((mode) => (
              <option key={mode} value={mode}>
                {words.ask.modes[mode]}
              </option>
            ))}
          </select>
        </label>
        <fieldset class="limits">
          <legend>{words.settings.limits}</legend>
          {LIMITS.map((limit) => (
            <label key={limit} class="field">
              <span>{words.settings[limit]}</span>
              <input
                name={`budget.${limit}`}
                type="number"
                min="0"
                step={limit === 'cost' || limit === 'seconds' ? 'any' : '1'}
                placeholder={words.settings.noLimit}
                defaultValue={String(settings[`budget.${limit}`] ?? '')}
              />
            </label>
          ))}
        </fieldset>
        {failure.value !== null && (
          <p class="ending bad" role="alert">
            {failure.value}
          </p>
        )}
        <button type="submit" class="primary">
          {words.settings.save}
        </button>
        {asking.value !== null && (
          <AddressDialog
            address={asking.value.address}
            agree={() => asking.value && keep(asking.value.settings, asking.value.address)}
            close={() => {
              asking.value = null;
            }}
          />
        )}
      </form>
    </>
  );
}

/** What came of asking an address for its models: several or none, or why nothing did. */
type Found =
  | 'looking'
  | { readonly address: string; readonly models: readonly string[] }
  | { readonly address: string; readonly why: string; readonly named: boolean };

function FoundModels(props: {
  readonly found: Found | null;
  readonly take: (name: string) => void;
}): JSX.Element | null {
  const { found, take } = props;
  if (found === null) {
    return null;
  }
  if (found === 'looking') {
    return <p class="hint">{words.models.looking}</p>;
  }
  if ('why' in found) {
    return (
      <p class="ending bad">
        {found.named ? words.settings.noAnswerNamed(found.address) : words.settings.noAnswer(found.address)} {found.why}
      </p>
    );
  }
  if (found.models.length === 0) {
    return <p class="ending bad">{words.settings.noList(found.address)}</p>;
  }
  return (
    <>
      <p class="ending">{words.settings.chooseName(found.address)}</p>
      <ul class="program-models">
        {found.models.map((model) => (
          <li key={model} class="program-model">
            <span class="model-name">{model}</span>
            <button
              type="button"
              class="primary"
              aria-label={`${words.models.use} ${model}`}
              onClick={() => take(model)}
            >
              {words.models.use}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Asks before a model's address on this machine is kept: no question asks about it. */
function AddressDialog(props: {
  readonly address: string;
  readonly agree: () => void;
  readonly close: () => void;
}): JSX.Element {
  return (
    <Dialog title={words.settings.agreeTitle} close={props.close}>
      <p>{words.settings.agreeMeans(props.address)}</p>
      <div class="actions">
        <button type="button" onClick={props.agree}>
          {words.settings.agree}
        </button>
        <button type="button" class="primary" onClick={props.close}>
          {words.cancel}
        </button>
      </div>
    </Dialog>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly settings: Settings;
  readonly input?: Ref<HTMLInputElement>;
}

function Field({ name, label, hint, settings, input = null }: FieldProps): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        ref={input}
        name={name}
        defaultValue={String(settings[name] ?? '')}
        spellcheck={false}
        autocomplete="off"
      />
      <small>{hint}</small>
    </label>
  );
}

function keyInWords({ origin, stored, environment }: api.KeyState): string {
  if (origin === null) {
    return words.settings.keyNoModel;
  }
  if (environment) {
    return words.settings.keyFromOutside(origin);
  }
  return stored ? words.settings.keyStored(origin) : words.settings.keyNone(origin);
}

function KeyForm({
  state,
  changed,
}: {
  readonly state: api.KeyState;
  readonly changed: () => Promise<void>;
}): JSX.Element {
  const keep = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const key = String(new FormData(form).get('key') ?? '').trim();
    form.reset();
    if (key !== '') {
      api.keepKey(key).then(() => done(words.settings.keySaved), tellFailure);
    }
  };
  const drop = () => {
    api.dropKey().then(() => done(words.settings.keyDropped), tellFailure);
  };
  const done = async (said: string) => {
    tell(said);
    await changed();
  };
  return (
    <form class="fields" onSubmit={keep}>
      <h2>{words.settings.key}</h2>
      {state.available ? (
        <>
          <p class="hint">{words.settings.keyIntro}</p>
          <p class="key-state">{keyInWords(state)}</p>
          <label class="field">
            <span>{words.settings.keyNew}</span>
            <input name="key" type="password" autocomplete="off" disabled={state.origin === null} />
          </label>
          <div class="actions">
            <button type="submit" disabled={state.origin === null}>
              {words.settings.keySave}
            </button>
            {state.stored && (
              <button type="button" class="quiet" onClick={drop}>
                {words.settings.keyDrop}
              </button>
            )}
          </div>
        </>
      ) : (
        <p class="hint">{words.settings.keyNowhere}</p>
      )}
    </form>
  );
}

function ScansForm({
  preferences: { settings, ocr },
  changed,
}: {
  readonly preferences: api.Preferences;
  readonly changed: () => Promise<void>;
}): JSX.Element {
  const written = String(settings['documents.ocr'] ?? '');
  const choices: (readonly [string, string])[] = Object.entries(words.settings.ocrChoices);
  if (!choices.some(([value]) => value === written)) {
    choices.push([written, words.settings.ocrLanguages(written)]);
  }
  const choose = (value: string) => {
    api.keepPreferences({ 'documents.ocr': value === '' ? null : value }, null).then(async () => {
      tell(words.settings.saved);
      await Promise.all([changed(), loadStatus()]);
    }, tellFailure);
  };
  return (
    <section class="fields">
      <h2>{words.settings.scans}</h2>
      <label class="field">
        <span>{words.settings.ocr}</span>
        <select value={written} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {choices.map(([value, said]) => (
            <option key={value} value={value}>
              {said}
            </option>
          ))}
        </select>
        <small>{words.settings.ocrStates[ocr.state](ocr.by)}</small>
      </label>
    </section>
  );
}

function PageChoices(): JSX.Element {
  return (
    <section class="fields">
      <h2>{words.settings.page}</h2>
      <label class="field">
        <span>{words.settings.theme}</span>
        <select value={theme.value} onChange={({ currentTarget }) => chooseTheme(currentTarget.value as Theme)}>
          {(['system', 'light', 'dark'] as const).map((each) => (
            <option key={each} value={each}>
              {words.settings.themes[each]}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{words.settings.language}</span>
        <select
          value={chosenLanguage()}
          onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language | 'browser')}
        >
          <option value="browser">{words.settings.languageOfBrowser}</option>
          {Object.entries(LANGUAGES).map(([each, name]) => (
            <option key={each} value={each} lang={each}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <LettersChoice />
    </section>
  );
}
