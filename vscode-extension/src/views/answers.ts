import * as vscode from 'vscode';
import type { AnswerResult, RequirementResult } from '../protocol/answer';
import type { Evidence } from '../protocol/evidence';
import type { AskedQuestion, AskedState } from '../reading/answers';
import { inContext } from '../reading/context';
import { cutShort } from '../reading/ending';
import { openingPlace, placeOf, placeParams } from '../reading/locations';
import type { Reading } from '../reading/reading';
import type { Subject } from '../reading/subject';
import { statusWords } from '../reading/words';
import { note, openingAnswer, type Row, row } from './row';

/** The questions of this window with what they need and what proves it. */
export function answerRows(reading: Reading): readonly Row[] {
  const rows = reading.asked.all.map((asked, index) => answerRow(asked, index === 0));
  return rows.length > 0 ? rows : [note(vscode.l10n.t('Nothing was asked in this window yet'))];
}

function answerRow(asked: AskedQuestion, expanded: boolean): Row {
  const { document, result, question } = asked;
  const subject: Subject = {
    question: result?.question ?? question,
    scope: asked.scope,
    ...(document !== undefined && { document }),
    ...(asked.thread !== undefined && { thread: asked.thread }),
  };
  return row({
    label: question,
    description: [stateInWords(asked.state), ...(reused(result) ? [vscode.l10n.t('reused')] : [])].join(', '),
    icon: ICONS[asked.state],
    kind: result?.answerUri ? 'answer' : 'question',
    subject,
    ...(document !== undefined && { open: openingAnswer(document) }),
    ...(result !== undefined && { expanded, children: () => partsOf(result) }),
  });
}

const ICONS: Readonly<Record<AskedState, string>> = {
  asking: 'loading~spin',
  cancelled: 'circle-slash',
  failed: 'error',
  answered: 'pass',
  partial: 'circle-large-outline',
  unanswered: 'question',
};

/** How a question stands, in words. */
function stateInWords(state: AskedState): string {
  const words: Readonly<Record<AskedState, string>> = {
    asking: vscode.l10n.t('searching …'),
    cancelled: vscode.l10n.t('cancelled'),
    failed: vscode.l10n.t('failed'),
    answered: vscode.l10n.t('answered'),
    partial: vscode.l10n.t('partly answered'),
    unanswered: vscode.l10n.t('not answered'),
  };
  return words[state];
}

/** Whether the answer, or a part of it, was known from an earlier question. */
function reused(result: AnswerResult | undefined): boolean {
  return result !== undefined && (result.stopped === 'reused' || result.reused.length > 0);
}

function partsOf(result: AnswerResult): readonly Row[] {
  const proving = new Map(result.evidence.map((each) => [each.n, each]));
  // A question that is its own one requirement need not be told twice.
  const [first, ...more] = result.requirements;
  const requirements = first?.text === result.question && more.length === 0 ? [] : result.requirements;
  const told = new Set(requirements.flatMap(({ evidence }) => evidence));
  const further = result.evidence.filter(({ n }) => !told.has(n));
  const ending = cutShort(result);
  return [
    ...(ending === undefined ? [] : [row({ label: ending, icon: 'warning' })]),
    ...(reused(result) ? [note(vscode.l10n.t('Known already; its sources were looked up again'))] : []),
    ...requirements.map((each) => requirementRow(each, proving)),
    ...further.map(evidenceRow),
    ...result.warnings.map((text) => row({ label: text, icon: 'warning' })),
  ];
}

const SIGNS: Readonly<Record<RequirementResult['status'], string>> = {
  covered: 'pass-filled',
  contested: 'warning',
  missing: 'circle-slash',
};

function requirementRow(requirement: RequirementResult, proving: ReadonlyMap<number, Evidence>): Row {
  const evidence = requirement.evidence.flatMap((n) => proving.get(n) ?? []);
  const status = statusWords()[requirement.status];
  return row({
    label: requirement.text,
    description: requirement.value === null ? status : `${status}: ${requirement.value}`,
    icon: SIGNS[requirement.status],
    ...(evidence.length > 0 && { children: () => evidence.map(evidenceRow) }),
  });
}

/** A passage: its words, and where they stand. */
function evidenceRow(evidence: Evidence): Row {
  const place = placeParams(evidence);
  return row({
    label: `[${evidence.n}] ${evidence.quote}`,
    description: place === undefined ? vscode.l10n.t('{0} changed meanwhile', evidence.path) : placeOf(evidence),
    tooltip: inContext(evidence),
    icon: 'quote',
    kind: 'evidence',
    ...(place !== undefined && { open: openingPlace(place) }),
  });
}
