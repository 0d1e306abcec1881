/** The editor's own models, for the server: it asks, we pass on what the user's provider answers. */

import * as vscode from 'vscode';
import { Failure } from '../failures';
import { printable } from '../inert';
import type { ModelParams, ModelResult } from '../protocol/model';
import { MOST_TOKENS, SENTENCE, type Tried } from './probing';

const NAME = /^editor(?::(.+))?$/;

/** The family that `lens.model.name` asks of the editor: null for any; undefined for a name that means an endpoint. */
export function editorFamily(name: string): string | null | undefined {
  const match = NAME.exec(name);
  return match ? (match[1] ?? null) : undefined;
}

/** Whether this editor has models at all. Editors built on older or trimmed sources do not. */
export function offersModels(): boolean {
  const lm = vscode.lm as Partial<typeof vscode.lm> | undefined;
  return typeof lm?.selectChatModels === 'function';
}

/** Answer the server's `lens/model`. No messages ask which model would answer: then none is called. */
export async function answerByEditor(params: ModelParams, token: vscode.CancellationToken): Promise<ModelResult> {
  if (!vscode.workspace.isTrusted) {
    throw new Failure(vscode.l10n.t('No model is asked in a folder that is not trusted.'));
  }
  const model = await chosen(params.family);
  if (params.messages.length === 0) {
    return { text: '', model: model.id, finish: 'stop', contextTokens: model.maxInputTokens };
  }
  const messages = params.messages.map(messageOf);
  const tokensIn = await tokensOf(model, params.messages.map(({ text }) => text).join('\n'), token);
  const text = await reply(model, messages, params.maxTokens, token);
  const tokensOut = await tokensOf(model, text, token);
  return { text, model: model.id, finish: 'stop', tokensIn, tokensOut, contextTokens: model.maxInputTokens };
}

/** Asks the editor's model for one word, as `tryModel` does. */
export async function tryEditorModel(family: string | null, token: vscode.CancellationToken): Promise<Tried> {
  const began = performance.now();
  try {
    await reply(await chosen(family), [vscode.LanguageModelChatMessage.User(SENTENCE)], MOST_TOKENS, token);
    return { ok: true, milliseconds: performance.now() - began };
  } catch (error) {
    if (token.isCancellationRequested) {
      throw error;
    }
    return { ok: false, why: 'refused', said: printable((error as Error).message).replace(/\s+/g, ' ') };
  }
}

async function chosen(family: string | null): Promise<vscode.LanguageModelChat> {
  const models = await vscode.lm.selectChatModels(family === null ? {} : { family });
  const model = models[0];
  if (model === undefined) {
    throw new Failure(
      family === null
        ? vscode.l10n.t('The editor has no language model. Sign in to a provider of one, or choose an endpoint.')
        : vscode.l10n.t('The editor has no language model of the family {0}.', family),
    );
  }
  return model;
}

/** The editor's API knows no system role: such a text is said by the user, first. */
function messageOf(message: ModelParams['messages'][number]): vscode.LanguageModelChatMessage {
  return message.role === 'assistant'
    ? vscode.LanguageModelChatMessage.Assistant(message.text)
    : vscode.LanguageModelChatMessage.User(message.text);
}

async function reply(
  model: vscode.LanguageModelChat,
  messages: vscode.LanguageModelChatMessage[],
  maxTokens: number,
  token: vscode.CancellationToken,
): Promise<string> {
  const options: vscode.LanguageModelChatRequestOptions = {
    justification: vscode.l10n.t('Lens reads the passages it found and words an answer from them.'),
    // No option of the API limits a reply; most providers take this one.
    modelOptions: { max_tokens: maxTokens },
  };
  const response = await model.sendRequest(messages, options, token);
  let text = '';
  for await (const part of response.text) {
    text += part;
  }
  return text;
}

/** How many tokens a text has; null where the model does not say. */
async function tokensOf(
  model: vscode.LanguageModelChat,
  text: string,
  token: vscode.CancellationToken,
): Promise<number | null> {
  try {
    return await model.countTokens(text, token);
  } catch {
    return null;
  }
}
