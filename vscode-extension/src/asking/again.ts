import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { ThreadsResult } from '../protocol/kept';
import { told } from '../reading/actions';
import type { Reading } from '../reading/reading';
import { documentOf, nearestSubject, questionOfSubject, type Subject } from '../reading/subject';
import type { AnswerView } from '../views/answerView';

/** Going on from an answer: a further question that may refer to it, and the same question once more. */
export function registerAgain(lens: LensClient, reading: Reading, view: AnswerView): vscode.Disposable {
  const command = (id: string, act: (subject: Subject) => Promise<unknown>) =>
    vscode.commands.registerCommand(id, (argument?: unknown) =>
      told(async () => {
        const subject = nearestSubject(argument, reading.asked);
        await (subject === undefined ? vscode.commands.executeCommand('lens.ask') : act(subject));
      }),
    );
  return vscode.Disposable.from(
    command('lens.followUp', (subject) => followUp(lens, view, subject)),
    command('lens.askAgain', (subject) => askAgain(view, subject)),
  );
}

async function followUp(lens: LensClient, view: AnswerView, subject: Subject): Promise<unknown> {
  const thread = subject.thread ?? (await threadOf(lens, subject));
  return view.show({ type: 'show', view: 'ask', ...(thread !== undefined && { thread }) });
}

/** The conversation that an answer came up in, where that was in another window or session. */
async function threadOf(lens: LensClient, subject: Subject): Promise<string | undefined> {
  const document = subject.document?.toString();
  if (document === undefined) {
    return undefined;
  }
  const { threads } = await lens.request<ThreadsResult>('lens/threads', {});
  return threads.find(({ questions }) =>
    questions.some(({ answerUri }) => answerUri !== null && documentOf(answerUri).toString() === document),
  )?.name;
}

async function askAgain(view: AnswerView, subject: Subject): Promise<unknown> {
  const question = await questionOfSubject(subject);
  if (question === undefined) {
    return vscode.commands.executeCommand('lens.ask');
  }
  return view.ask({
    question,
    ...(subject.scope !== undefined && { scope: subject.scope }),
    ...(subject.thread !== undefined && { thread: subject.thread }),
  });
}
