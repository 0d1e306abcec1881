/** Choosing who judges: nobody, a server on this machine, an endpoint with a key, or the editor's own models. */

import * as vscode from 'vscode';
import { inspectIn } from '../configuration';
import { userText } from '../settings';
import { type Choice, usedAmong } from './choice';
import { editorFamily, offersModels, tryEditorModel } from './editorModel';
import { type Keys, originOf } from './keys';
import { type Answering, LOCAL_SERVERS, lookAround, modelsAt, type Tried, tryModel } from './probing';

const { l10n, window } = vscode;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const MOST_SHOWN = 50;

type Item = vscode.QuickPickItem & { readonly choice?: Choice | 'address' };

/**
 * `Lens: Choose a Model…`: lists what answers, tries what is chosen with one short sentence, and keeps it in the user's
 * settings. What does not answer is kept only where the user wants it all the same.
 */
export async function chooseModel(keys: Keys): Promise<void> {
  const chosen = await chooseFrom();
  const choice = chosen === 'address' ? await enterAddress(keys) : chosen;
  if (choice === undefined) {
    return;
  }
  if (choice.name === '') {
    await save(choice);
    return;
  }
  const tried = await tryChoice(choice, keys);
  if (tried === undefined) {
    return; // the user ended it
  }
  const name = shownName(choice);
  if (tried.ok) {
    await save(choice);
    const options = tried.milliseconds < 1_000 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: 1 };
    const seconds = (tried.milliseconds / 1000).toLocaleString(undefined, options);
    void window.showInformationMessage(l10n.t('{0} answered in {1} s. It is used from now on.', name, seconds));
    return;
  }
  const [anyway, another] = [l10n.t('Use it anyway'), l10n.t('Choose another')];
  const answer = await window.showWarningMessage(failureOf(name, choice, tried), anyway, another);
  if (answer === anyway) {
    await save(choice);
  } else if (answer === another) {
    await chooseModel(keys);
  }
}

/** Why a model gave no answer, for people. */
function failureOf(name: string, { baseUrl }: Choice, { why, said }: Extract<Tried, { readonly ok: false }>): string {
  switch (why) {
    case 'nothing':
      return l10n.t('{0} was not reached: nothing answers at {1} ({2}).', name, baseUrl, said);
    case 'long':
      return l10n.t('{0} gave no answer in time. It may still be loading: try again, or choose a smaller one.', name);
    case 'refused':
      return l10n.t('{0} refused to answer: {1}', name, said);
    case 'model':
      return l10n.t('What answers at {0} does not speak OpenAI’s chat completions.', baseUrl);
  }
}

function shownName({ baseUrl, name }: Choice): string {
  const family = baseUrl === '' ? editorFamily(name) : undefined;
  return family === undefined ? name : (family ?? l10n.t('The editor’s model'));
}

/** Tries a model where the user sees it, and can end it; undefined then. */
function tryChoice(choice: Choice, keys: Keys): Thenable<Tried | undefined> {
  const title = l10n.t('Lens asks {0} for one word', shownName(choice));
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    try {
      if (choice.baseUrl === '') {
        return await tryEditorModel(editorFamily(choice.name) ?? null, token);
      }
      const place = { baseUrl: choice.baseUrl, key: await keys.of(choice.baseUrl) };
      return await tryModel(place, choice.name, abort.signal);
    } catch (error) {
      if (token.isCancellationRequested) {
        return undefined;
      }
      throw error;
    }
  });
}

/** Lets the user choose among what answers now; it is looked for while the list is there already. */
async function chooseFrom(): Promise<Choice | 'address' | undefined> {
  const pick = window.createQuickPick<Item>();
  const abort = new AbortController();
  const again = { iconPath: new vscode.ThemeIcon('refresh'), tooltip: l10n.t('Look again') };
  pick.title = l10n.t('Who judges what was found?');
  pick.placeholder = l10n.t('What is chosen is asked for one word, to see that it answers. Nothing of yours is sent.');
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.buttons = [again];
  const look = async (): Promise<void> => {
    pick.busy = true;
    pick.items = itemsOf(undefined, []);
    const [local, models] = await Promise.all([lookAround(abort.signal), editorModels()]);
    if (!abort.signal.aborted) {
      pick.items = markUsed(itemsOf(local, models));
      pick.busy = false;
    }
  };
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.choice));
      pick.onDidHide(() => resolve(undefined));
      pick.onDidTriggerButton(() => void look());
      pick.show();
      void look();
    });
  } finally {
    abort.abort();
    pick.dispose();
  }
}

async function editorModels(): Promise<readonly vscode.LanguageModelChat[]> {
  try {
    return offersModels() ? await vscode.lm.selectChatModels({}) : [];
  } catch {
    return [];
  }
}

/** The items, the model in use called so: one that is not in the list stands behind the endpoints elsewhere. */
function markUsed(items: readonly Item[]): Item[] {
  const inspect = inspectIn(undefined);
  const now = { baseUrl: userText(inspect, 'model.baseUrl'), name: userText(inspect, 'model.name') };
  const used = usedAmong(
    items.map(({ choice }) => choice),
    now,
  );
  const said = l10n.t('in use');
  return items.map((item, at) => {
    if (at !== used) {
      return item;
    }
    const more = item.choice === 'address' ? now.name : item.description;
    return { ...item, description: more ? `${said} · ${more}` : said };
  });
}

/** What can be chosen. `local` is undefined while it is looked for. */
function itemsOf(local: readonly Answering[] | undefined, models: readonly vscode.LanguageModelChat[]): Item[] {
  const heading = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const none: Item = {
    label: l10n.t('No model'),
    detail: l10n.t('Evidence only. Nothing leaves this machine.'),
    choice: { baseUrl: '', name: '' },
  };
  const here = (local ?? []).flatMap(({ server, baseUrl, models: names }) =>
    names.slice(0, MOST_SHOWN).map((name): Item => {
      return { label: name, description: `${server.name} · ${new URL(baseUrl).host}`, choice: { baseUrl, name } };
    }),
  );
  const looked = LOCAL_SERVERS.map(({ name, port }) => `${name} (${port})`).join(', ');
  const nobody: Item = {
    label: local === undefined ? l10n.t('Looking…') : l10n.t('No model server answers here'),
    detail: l10n.t('Start one of {0}, then look again; or write its address.', looked),
    choice: 'address',
  };
  const families = [...new Map(models.map((model) => [model.family, model])).values()];
  const own = families.map(({ family, vendor, name }): Item => {
    return { label: family, description: `${name} · ${vendor}`, choice: { baseUrl: '', name: `editor:${family}` } };
  });
  const any: Item = {
    label: l10n.t('Any'),
    detail: l10n.t('Whatever provider you signed in to.'),
    choice: { baseUrl: '', name: 'editor' },
  };
  const endpoint: Item = {
    label: l10n.t('An endpoint that speaks OpenAI’s chat completions'),
    detail: l10n.t('Lens asks once for each folder before anything is sent there.'),
    choice: 'address',
  };
  return [
    none,
    heading(l10n.t('A model on this machine')),
    ...(here.length > 0 ? here : [nobody]),
    ...(own.length > 0 ? [heading(l10n.t('The editor’s own models')), ...own, any] : []),
    heading(l10n.t('Elsewhere')),
    endpoint,
  ];
}

/** `Lens: Set API Key…`: for the origin of the model that is set. */
export async function setApiKey(keys: Keys): Promise<void> {
  const origin = await configuredOrigin();
  if (origin !== undefined) {
    await enterKey(keys, origin);
  }
}

/** `Lens: Remove API Key`: that of the origin of the model that is set. */
export async function removeApiKey(keys: Keys): Promise<void> {
  const origin = await configuredOrigin();
  if (origin !== undefined) {
    await keys.remove(origin);
    void window.showInformationMessage(l10n.t('The key for {0} was removed.', origin));
  }
}

/** The host that text may be sent to, as the settings say; undefined: none. */
export function configuredHost(): string | undefined {
  const origin = originOf(userText(inspectIn(undefined), 'model.baseUrl'));
  return origin === undefined ? undefined : new URL(origin).host;
}

async function configuredOrigin(): Promise<string | undefined> {
  const origin = originOf(userText(inspectIn(undefined), 'model.baseUrl'));
  if (origin === undefined) {
    const choose = l10n.t('Choose Model…');
    const chosen = await window.showWarningMessage(
      l10n.t('A key belongs to the address of a model, and none is set.'),
      choose,
    );
    if (chosen === choose) {
      await vscode.commands.executeCommand('lens.chooseModel');
    }
  }
  return origin;
}

async function enterKey(keys: Keys, origin: string): Promise<void> {
  const key = await window.showInputBox({
    title: l10n.t('API key for {0}', origin),
    prompt: l10n.t('Kept in the secret storage of the editor, and sent to {0} only.', origin),
    password: true,
    ignoreFocusOut: true,
  });
  if (key?.trim()) {
    await keys.set(origin, key.trim());
  }
}

/** An address, the key for it where it is elsewhere, and one of its models. */
async function enterAddress(keys: Keys): Promise<Choice | undefined> {
  const inspect = inspectIn(undefined);
  const entered = await window.showInputBox({
    title: l10n.t('Address of the model'),
    value: userText(inspect, 'model.baseUrl') || 'https://',
    ignoreFocusOut: true,
    validateInput: wrongWith,
  });
  const baseUrl = entered?.trim();
  const origin = originOf(baseUrl ?? '');
  if (baseUrl === undefined || origin === undefined) {
    return undefined;
  }
  if (!LOOPBACK.test(new URL(origin).hostname) && (await keys.of(origin)) === undefined) {
    await enterKey(keys, origin);
  }
  const name = await chooseName(baseUrl, await keys.of(origin));
  return name === undefined ? undefined : { baseUrl, name };
}

/** One of the models that an endpoint names, or one that is typed where it names none. */
async function chooseName(baseUrl: string, key: string | undefined): Promise<string | undefined> {
  const names = await modelsAt({ baseUrl, key }, new AbortController().signal).catch(() => []);
  if (names.length > 0) {
    return window.showQuickPick(names, { title: l10n.t('Name of the model'), ignoreFocusOut: true });
  }
  const name = await window.showInputBox({
    title: l10n.t('Name of the model'),
    prompt: l10n.t('What the endpoint calls it.'),
    value: userText(inspectIn(undefined), 'model.name'),
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() ? undefined : l10n.t('A name is needed.')),
  });
  return name?.trim();
}

/** What is wrong with an address; undefined if nothing is. */
export function wrongWith(baseUrl: string): string | undefined {
  const origin = originOf(baseUrl.trim());
  if (origin === undefined) {
    return l10n.t('Write an address, such as https://models.example/v1');
  }
  const url = new URL(origin);
  return url.protocol === 'https:' || LOOPBACK.test(url.hostname)
    ? undefined
    : l10n.t('http:// is for models on this machine; elsewhere it is https://');
}

/** In the settings of the user, whatever is open: no workspace ever says who is asked. */
async function save({ baseUrl, name }: Choice): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('lens');
  await configuration.update('model.baseUrl', baseUrl || undefined, vscode.ConfigurationTarget.Global);
  await configuration.update('model.name', name || undefined, vscode.ConfigurationTarget.Global);
}
