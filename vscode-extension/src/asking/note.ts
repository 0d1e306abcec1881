import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { AnswerResult } from '../protocol/answer';
import type { Scope } from '../protocol/asking';
import { inNotification } from '../reading/plain';
import type { Reading } from '../reading/reading';
import { documentOf } from '../reading/subject';

/** What the server puts on a line that asks: its own command's argument. */
interface NoteQuestion {
  readonly question?: string;
  readonly scope?: Scope;
}

/** Ask a `??` line: the server puts the answer below it. Here it can be cancelled, and is remembered as any other. */
export async function askInNote(lens: LensClient, reading: Reading, argument: NoteQuestion): Promise<AnswerResult> {
  const { question = '', scope = {} } = argument;
  await lens.ready();
  const title = vscode.l10n.t('Lens: {0}', inNotification(question));
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const result = await vscode.window.withProgress(options, (_, token) => {
    const params = { command: 'lens.server.ask', arguments: [argument] };
    return lens.request<AnswerResult>('workspace/executeCommand', params, token);
  });
  reading.asked.put({
    question,
    scope,
    thread: undefined,
    asked: new Date(),
    state: result.status,
    document: result.answerUri === null ? undefined : documentOf(result.answerUri),
    result,
  });
  return result;
}
