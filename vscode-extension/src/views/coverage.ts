import * as vscode from 'vscode';
import type { AnswerResult } from '../protocol/answer';
import type { Coverage } from '../protocol/evidence';
import { counted } from '../reading/words';
import { byReason } from './freshness';
import { note, type Row, row } from './row';

const MOST_PATHS = 200;

/** What the last question looked at, and what it did not look at and why. */
export function coverageRows(result: AnswerResult | undefined): readonly Row[] {
  if (result === undefined) {
    return [note(vscode.l10n.t('Nothing was asked in this window yet'))];
  }
  const { coverage } = result;
  return [
    row({
      label: searched(coverage),
      description: result.question,
      icon: 'search',
    }),
    row({
      label: read(coverage),
      description: unread(coverage),
      icon: 'book',
    }),
    ...unreadRows(coverage),
    ...pictureRows(coverage),
    ...leftOutRows(coverage.skipped, (count, reason) => vscode.l10n.t('Skipped {0}: {1}', count, reason)),
    ...leftOutRows(
      coverage.partial.map(({ path, line, reason }) => ({ path: line === null ? path : `${path}:${line}`, reason })),
      (count, reason) => vscode.l10n.t('Hidden or without effect {0}: {1}', count, reason),
    ),
  ];
}

function searched({ scanned, found }: Coverage): string {
  return found === 1
    ? vscode.l10n.t('Searched {0} of 1 file', counted(scanned))
    : vscode.l10n.t('Searched {0} of {1} files', counted(scanned), counted(found));
}

function read({ read: files }: Coverage): string {
  return files === 1
    ? vscode.l10n.t('Read passages of 1 file')
    : vscode.l10n.t('Read passages of {0} files', counted(files));
}

function unread({ matchesUnread: places }: Coverage): string {
  return places === 1
    ? vscode.l10n.t('1 place with the words was not read')
    : vscode.l10n.t('{0} places with the words were not read', counted(places));
}

/** Documents whose turn has not come: what was looked for may stand in one of them. */
function unreadRows({ unread: waiting, documents }: Coverage): readonly Row[] {
  if (!(waiting > 0)) {
    return [];
  }
  const label = vscode.l10n.t('Not read yet: {0} of {1} documents', counted(waiting), counted(documents));
  const description = vscode.l10n.t('they are read while nothing is asked, and by lens read');
  return [row({ label, description, icon: 'watch' })];
}

function pictureRows({ pictures }: Coverage): readonly Row[] {
  if (!(pictures > 0)) {
    return [];
  }
  const label =
    pictures === 1
      ? vscode.l10n.t('1 picture in the documents was not read')
      : vscode.l10n.t('{0} pictures in the documents were not read', counted(pictures));
  return [row({ label, icon: 'file-media' })];
}

function leftOutRows(
  places: readonly { readonly path: string; readonly reason: string }[],
  said: (count: string, reason: string) => string,
): readonly Row[] {
  return byReason(places).map(([reason, paths]) =>
    row({
      label: said(counted(paths.length), reasonInWords(reason)),
      icon: 'debug-step-over',
      children: () => {
        const shown = paths.slice(0, MOST_PATHS).map((path) => row({ label: path, icon: 'file' }));
        const rest = paths.length - shown.length;
        return rest > 0 ? [...shown, note(vscode.l10n.t('… and {0} more', counted(rest)))] : shown;
      },
    }),
  );
}

function reasonInWords(reason: string): string {
  const words: Readonly<Record<string, string>> = {
    answer: vscode.l10n.t('answers of Lens itself'),
    binary: vscode.l10n.t('no text'),
    broken: vscode.l10n.t('damaged, or not what its name says'),
    died: vscode.l10n.t('reading it takes too much memory'),
    denied: vscode.l10n.t('may hold secrets'),
    encrypted: vscode.l10n.t('opens with a password'),
    ignored: vscode.l10n.t('ignored'),
    irregular: vscode.l10n.t('no regular file'),
    link: vscode.l10n.t('symbolic link'),
    missing: vscode.l10n.t('not there'),
    'no-reader': vscode.l10n.t('its library is not installed'),
    'no-text': vscode.l10n.t('pictures without text'),
    'not-read': vscode.l10n.t('not read yet'),
    'out-of-scope': vscode.l10n.t('outside the scope'),
    permission: vscode.l10n.t('no permission'),
    'timed-out': vscode.l10n.t('reading it takes too long'),
    unreadable: vscode.l10n.t('could not be read'),
    'too-large': vscode.l10n.t('too large'),
    unsupported: vscode.l10n.t('no reader for the format'),
  };
  return words[reason] ?? reason;
}
