import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { inertMarkdown } from '../inert';
import type { FindParams } from '../protocol/asking';
import { placeOf } from '../reading/locations';
import { type Passage, toolText } from './passages';

/** What a model gives the tool, unchecked. */
interface ToolInput {
  readonly query?: unknown;
  readonly limit?: unknown;
}

const MOST = 50;

/**
 * `#lens` for the editor's chat models: verified passages of the open folders. Registers nothing where the editor has no
 * tools.
 *
 * What it returns goes to whatever model the user chats with. So the server leaves out private notes and takes out
 * secrets, as for any endpoint that is not on this machine.
 */
export function registerTool(_context: vscode.ExtensionContext, lens: LensClient): vscode.Disposable {
  const models = vscode.lm as Partial<typeof vscode.lm> | undefined;
  if (models?.registerTool === undefined) {
    return new vscode.Disposable(() => {});
  }
  return models.registerTool<ToolInput>('lens_find', {
    prepareInvocation: ({ input }) => ({
      invocationMessage: new vscode.MarkdownString(
        vscode.l10n.t('Looking for passages: {0}', inertMarkdown(queryOf(input))),
      ),
    }),
    invoke: (options, token) => invoke(lens, options, token),
  });
}

async function invoke(
  lens: LensClient,
  options: vscode.LanguageModelToolInvocationOptions<ToolInput>,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  if (!vscode.workspace.isTrusted) {
    throw new Error(vscode.l10n.t('Files of a workspace that is not trusted are given to no model.'));
  }
  const found = await lens.find(paramsOf(options.input), token);
  const passages = found.evidence.map((one) => ({ at: placeOf(one), heading: one.heading, quote: one.quote }));
  const text = await fitting(found.query, passages, found.warnings, options.tokenizationOptions, token);
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}

function queryOf(input: ToolInput): string {
  return typeof input.query === 'string' ? input.query.trim() : '';
}

function paramsOf(input: ToolInput): FindParams {
  const query = queryOf(input);
  if (query === '') {
    throw new Error('query is missing: give a question, or the words to look for');
  }
  const limit = typeof input.limit === 'number' ? Math.min(Math.max(Math.trunc(input.limit), 1), MOST) : 10;
  return { query, limit, forModel: true };
}

/** The text of as many passages, the best first, as the model's budget allows. */
async function fitting(
  query: string,
  passages: readonly Passage[],
  warnings: readonly string[],
  budget: vscode.LanguageModelToolTokenizationOptions | undefined,
  token: vscode.CancellationToken,
): Promise<string> {
  for (let kept = passages.length; ; kept -= 1) {
    const text = toolText(query, passages.slice(0, kept), warnings);
    if (budget === undefined || kept === 0 || (await budget.countTokens(text, token)) <= budget.tokenBudget) {
      return text;
    }
  }
}
