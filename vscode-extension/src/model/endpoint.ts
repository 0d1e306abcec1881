/** Choosing who judges: nobody, a server on this machine, an endpoint with a key, or the editor's own models. */

import * as vscode from 'vscode';
import { inspectIn } from '../configuration';
import { userText } from '../settings';
import { offersModels } from './editorModel';
import { type Keys, originOf } from './keys';

const { l10n, window } = vscode;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

type Kind = 'none' | 'local' | 'endpoint' | 'editor';

/** `Lens: Choose Model…` */
export async function chooseModel(keys: Keys): Promise<void> {
  const kind = await chooseKind();
  if (kind === 'none') {
    await save('', '');
  } else if (kind === 'editor') {
    const name = await chooseEditorModel();
    if (name !== undefined) {
      await save('', name);
    }
  } else if (kind !== undefined) {
    await chooseEndpoint(kind, keys);
  }
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

async function chooseKind(): Promise<Kind | undefined> {
  const items: (vscode.QuickPickItem & { kind_: Kind })[] = [
    { kind_: 'none', label: l10n.t('No model'), detail: l10n.t('Evidence only. Nothing leaves this machine.') },
    { kind_: 'local', label: l10n.t('A model on this machine'), detail: 'Ollama, LM Studio, llama.cpp, vLLM' },
    {
      kind_: 'endpoint',
      label: l10n.t('An endpoint that speaks OpenAI’s chat completions'),
      detail: l10n.t('Lens asks once for each folder before anything is sent there.'),
    },
  ];
  if (offersModels()) {
    items.push({
      kind_: 'editor',
      label: l10n.t('The editor’s own models'),
      detail: l10n.t('Whatever provider you signed in to.'),
    });
  }
  const chosen = await window.showQuickPick(items, {
    title: l10n.t('Who judges what was found?'),
    ignoreFocusOut: true,
  });
  return chosen?.kind_;
}

async function chooseEditorModel(): Promise<string | undefined> {
  const models = await vscode.lm.selectChatModels({});
  if (models.length === 0) {
    void window.showWarningMessage(
      l10n.t('The editor has no language model. Sign in to a provider of one, or choose an endpoint.'),
    );
    return undefined;
  }
  const families = [...new Set(models.map((model) => model.family))];
  const any = { label: l10n.t('Any'), name: 'editor' };
  const items = [any, ...families.map((family) => ({ label: family, name: `editor:${family}` }))];
  const chosen = await window.showQuickPick(items, { title: l10n.t('Which of the editor’s models?') });
  return chosen?.name;
}

async function chooseEndpoint(kind: 'local' | 'endpoint', keys: Keys): Promise<void> {
  const inspect = inspectIn(undefined);
  const baseUrl = await window.showInputBox({
    title: l10n.t('Address of the model'),
    value: userText(inspect, 'model.baseUrl') || (kind === 'local' ? 'http://localhost:11434/v1' : 'https://'),
    ignoreFocusOut: true,
    validateInput: wrongWith,
  });
  if (baseUrl === undefined) {
    return;
  }
  const name = await window.showInputBox({
    title: l10n.t('Name of the model'),
    prompt: l10n.t('What the endpoint calls it.'),
    value: userText(inspect, 'model.name'),
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() ? undefined : l10n.t('A name is needed.')),
  });
  if (name === undefined) {
    return;
  }
  const origin = originOf(baseUrl.trim());
  if (kind === 'endpoint' && origin !== undefined && (await keys.of(origin)) === undefined) {
    await enterKey(keys, origin);
  }
  await save(baseUrl.trim(), name.trim());
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

async function save(baseUrl: string, name: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('lens');
  await configuration.update('model.baseUrl', baseUrl || undefined, vscode.ConfigurationTarget.Global);
  await configuration.update('model.name', name || undefined, vscode.ConfigurationTarget.Global);
}
