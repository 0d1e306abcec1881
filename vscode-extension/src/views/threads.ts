import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { Thread, ThreadsResult } from '../protocol/kept';
import { documentOf } from '../reading/subject';
import { note, openingAnswer, type Row, row } from './row';

const MOST = 100;

/** Conversations of all windows and sessions, the last one first. */
export async function threadRows(lens: LensClient): Promise<readonly Row[]> {
  const { threads } = await lens.request<ThreadsResult>('lens/threads', {});
  const rows = threads.slice(0, MOST).map(threadRow);
  return rows.length > 0 ? rows : [note(vscode.l10n.t('No conversation yet'))];
}

function threadRow(thread: Thread): Row {
  const [first] = thread.questions;
  const last = thread.questions.at(-1);
  return row({
    label: first?.typed ?? thread.name,
    description: vscode.l10n.t('questions: {0}', thread.questions.length),
    icon: 'comment-discussion',
    kind: 'thread',
    id: `thread ${thread.workspace} ${thread.name}`,
    subject: {
      thread: thread.name,
      ...(last !== undefined && { question: last.question }),
      ...(last?.answerUri != null && { document: documentOf(last.answerUri) }),
    },
    children: () => thread.questions.map((asked) => questionRow(thread, asked)),
  });
}

function questionRow(thread: Thread, asked: Thread['questions'][number]): Row {
  const document = asked.answerUri === null ? undefined : documentOf(asked.answerUri);
  return row({
    label: asked.typed,
    description: when(asked.asked),
    tooltip: asked.question,
    icon: 'comment',
    kind: document === undefined ? 'question' : 'answer',
    subject: { thread: thread.name, question: asked.question, ...(document !== undefined && { document }) },
    ...(document !== undefined && { open: openingAnswer(document) }),
  });
}

/** A time of the server's, as people here write it. */
export function when(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf())
    ? iso
    : date.toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
