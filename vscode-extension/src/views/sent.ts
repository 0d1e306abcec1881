import * as vscode from 'vscode';
import type { LensClient } from '../client';
import type { LedgerParams, LedgerResult } from '../protocol/ledger';
import { openingPlace } from '../reading/locations';
import { documentOf } from '../reading/subject';
import { counted } from '../reading/words';
import { note, type Row, row } from './row';

const MOST_QUESTIONS = 50;
const MOST_PASSAGES = 500;

/** What questions of this session sent, and to whom: the server's own books. */
export async function sentRows(lens: LensClient): Promise<readonly Row[]> {
  const params: LedgerParams = { questions: MOST_QUESTIONS };
  const { questions } = await lens.request<LedgerResult>('lens/ledger', params);
  const rows = questions.map(sentRow);
  return rows.length > 0 ? rows : [note(vscode.l10n.t('Nothing was sent'))];
}

type Entry = LedgerResult['questions'][number];

function sentRow({ question, answerUri, ledger }: Entry): Row {
  const { endpoint, sent, tokens } = ledger;
  const calls = ledger.calls.total ?? 0;
  const subject = { question, ...(answerUri !== null && { document: documentOf(answerUri) }) };
  if (endpoint === null || calls === 0) {
    return row({
      label: vscode.l10n.t('Nothing was sent'),
      description: question,
      icon: 'shield',
      kind: answerUri === null ? 'question' : 'answer',
      subject,
    });
  }
  return row({
    label: vscode.l10n.t('Passages to {0}: {1}', endpoint, counted(sent.length)),
    description: vscode.l10n.t(
      'calls: {0}, tokens: {1} · {2}',
      counted(calls),
      counted(tokens.in + tokens.out),
      question,
    ),
    icon: 'radio-tower',
    kind: answerUri === null ? 'question' : 'answer',
    subject,
    children: () => passageRows(ledger),
  });
}

function passageRows({ sent }: Entry['ledger']): readonly Row[] {
  const shown = sent.slice(0, MOST_PASSAGES).map(({ path, span, uri }) =>
    row({
      label: path,
      description: vscode.l10n.t('characters {0} to {1}', counted(span[0]), counted(span[1])),
      icon: 'quote',
      open: openingPlace({ uri, span }),
    }),
  );
  const rest = sent.length - shown.length;
  return rest > 0 ? [...shown, note(vscode.l10n.t('… and {0} more', counted(rest)))] : shown;
}
