import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { inertMarkdown, printable } from '../inert';
import type { DryRunResult } from '../protocol/answer';
import type { Reading } from '../reading/reading';
import { columnForAnswer } from '../reading/tabs';
import { counted } from '../reading/words';
import type { Request } from './asking';

const MOST_PLACES = 200;
const LONGEST_MESSAGE = 100_000;

/** Show what a question would send, and where, without sending anything. */
export async function previewSend(lens: LensClient, reading: Reading, request: Request): Promise<void> {
  await lens.ready();
  const title = vscode.l10n.t('Lens: looking what would be sent');
  const options = { location: vscode.ProgressLocation.Window, title };
  const result = await vscode.window.withProgress(options, () =>
    lens.request<DryRunResult>('lens/ask', { ...request, dryRun: true }),
  );
  const document = reading.documents.begin(vscode.l10n.t('What would be sent'));
  reading.documents.update(document, { text: pageOf(request.question, result), links: [] });
  await vscode.window.showTextDocument(document, { viewColumn: columnForAnswer(), preview: true });
}

function pageOf(question: string, result: DryRunResult): string {
  const lines = [`# ${vscode.l10n.t('What would be sent')}`, '', inertMarkdown(question), ''];
  if (result.endpoint === null) {
    return [...lines, vscode.l10n.t('Nothing: the question would be answered offline, by rules.'), ''].join('\n');
  }
  lines.push(
    vscode.l10n.t(
      'To {0}, in this order. What later calls say depends on the replies.',
      inertMarkdown(result.endpoint),
    ),
    '',
  );
  for (const { stage, tokens, messages } of result.requests) {
    lines.push(`## ${inertMarkdown(stage)}`, '', vscode.l10n.t('about {0} tokens', counted(tokens)), '');
    lines.push(...messages.flatMap(({ role, text }) => [`### ${inertMarkdown(role)}`, '', ...fenced(text), '']));
  }
  if (result.sent.length > 0) {
    lines.push(`## ${vscode.l10n.t('Passages')}`, '');
    for (const { path, span } of result.sent.slice(0, MOST_PLACES)) {
      lines.push(
        `- ${inertMarkdown(path)} ${vscode.l10n.t('characters {0} to {1}', counted(span[0]), counted(span[1]))}`,
      );
    }
    lines.push('');
  }
  return lines.join('\n');
}

/** Text that stands there to the letter, whatever it says. */
function fenced(text: string): string[] {
  const shown = printable(text.slice(0, LONGEST_MESSAGE));
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, shown, fence];
}
