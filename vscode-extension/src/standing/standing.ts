/** Where Lens stands, for people: the word, a sentence, a picture and the buttons that help. */

import * as vscode from 'vscode';
import type { Standing, ViewCommand } from '../views/messages';
import { type Grounds, type Readiness, readinessOf } from './readiness';

const { l10n } = vscode;

/** What the standing of a window follows from. */
export interface WindowGrounds extends Grounds {
  /** How far a set-up is, or why the server does not run; null where nothing is known. */
  readonly told: string | null;
  /** The name of the failure that keeps the server from running. */
  readonly failure: string | undefined;
  readonly trusted: boolean;
  /** A setting that names nothing that can be run, where another program answers instead of it; null for none. */
  readonly instead: string | null;
  /** Documents that the last question met and could not read, and what reading them takes; null where nothing helps. */
  readonly unread: { readonly documents: number; readonly megabytes: number } | null;
}

/** Names of failures that have a button of their own. */
export const NO_PYTHON = 'lens.noPython';
export const WRONG_SETTING = 'lens.config';

/** The picture of each state, as the editor's icons are named. */
export const ICONS: Readonly<Record<Readiness, string>> = {
  ready: 'search-fuzzy',
  settingUp: 'sync~spin',
  needsYou: 'bell-dot',
  unreachable: 'debug-disconnect',
  offline: 'device-desktop',
};

/** The commands behind the buttons. `scope` is the view's own: it gives something back. */
export const COMMANDS: Readonly<Record<Exclude<ViewCommand, 'scope'>, string>> = {
  chooseModel: 'lens.chooseModel',
  settings: 'lens.openSettings',
  log: 'lens.showLog',
  restart: 'lens.restart',
  setUp: 'lens.setUp',
  show: 'lens.view.focus',
  python: 'lens.getPython',
  trust: 'workbench.trust.manage',
  readDocuments: 'lens.readDocuments',
};

/** Where Lens stands. */
export function standingOf(grounds: WindowGrounds): Standing {
  const is = readinessOf(grounds);
  const { says, acts } = saidOf(is, grounds);
  const answers = is === 'ready' || is === 'offline' || is === 'unreachable';
  const also = answers ? [grounds.instead, unreadOf(grounds)].filter((each) => each !== null) : [];
  const offer = answers ? offerOf(grounds) : [];
  return { is, name: nameOf(is), says, also: also.join(' ') || null, acts: [...offer, ...acts] };
}

function nameOf(is: Readiness): string {
  switch (is) {
    case 'ready':
    case 'offline':
      return l10n.t('Ready.');
    case 'settingUp':
      return l10n.t('Getting ready.');
    case 'needsYou':
      return l10n.t('Needs you.');
    case 'unreachable':
      return l10n.t('Model not reachable.');
  }
}

type Said = Pick<Standing, 'says' | 'acts'>;

function saidOf(is: Readiness, grounds: WindowGrounds): Said {
  const { judge, told } = grounds;
  const change = { label: l10n.t('Change model'), command: 'chooseModel' } as const;
  const choose = { label: l10n.t('Choose a model'), command: 'chooseModel' } as const;
  switch (is) {
    case 'needsYou':
      return needed(grounds);
    case 'settingUp':
      return {
        says: told ?? l10n.t('The search starts.'),
        acts: [{ label: l10n.t('Show Log'), command: 'log' }],
      };
    case 'unreachable':
      return {
        says:
          judge?.problem ??
          l10n.t(
            '{0} did not answer. Questions are answered on this machine until it does.',
            hostOf(judge?.endpoint ?? ''),
          ),
        acts: [choose],
      };
    case 'offline':
      if (!grounds.trusted) {
        return {
          says: l10n.t('This folder is not trusted: no model is asked, and answers are found on this machine.'),
          acts: [{ label: l10n.t('Trust…'), command: 'trust' }],
        };
      }
      return {
        says:
          judge?.endpoint == null
            ? l10n.t('No model is set: answers are found on this machine, and nothing leaves it.')
            : l10n.t('Answers are found on this machine, and nothing leaves it.'),
        acts: [choose],
      };
    case 'ready':
      return judge === null
        ? { says: l10n.t('Ask about your files.'), acts: [choose] }
        : { says: whoWords(judge), acts: [change] };
  }
}

/** What waits for the user. */
function needed({ asked, server, told, failure }: WindowGrounds): Said {
  const again = { label: l10n.t('Try again'), command: 'setUp' } as const;
  const log = { label: l10n.t('Show Log'), command: 'log' } as const;
  const settings = { label: l10n.t('Settings'), command: 'settings' } as const;
  if (asked) {
    return {
      says: l10n.t('Lens waits for your answer.'),
      acts: [{ label: l10n.t('Answer'), command: 'show' }],
    };
  }
  if (server === 'waiting') {
    return {
      says: l10n.t('Lens has to be set up once on this machine.'),
      acts: [{ label: l10n.t('Set up'), command: 'setUp' }],
    };
  }
  const says = told ?? l10n.t('Lens could not start.');
  if (failure === NO_PYTHON) {
    return { says, acts: [{ label: l10n.t('Get Python'), command: 'python' }, again] };
  }
  return { says, acts: [again, failure === WRONG_SETTING ? settings : log] };
}

/** Who words the answer, and whether anything leaves the machine for it. */
function whoWords({ model, endpoint, consent }: NonNullable<Grounds['judge']>): string {
  const [name, host] = [model ?? '', hostOf(endpoint ?? '')];
  if (consent === 'local') {
    return l10n.t('{0} on this machine words the answer. Nothing leaves it.', name);
  }
  const remote = l10n.t('{0} at {1} words the answer from short passages.', name, host);
  return consent === 'missing'
    ? `${remote} ${l10n.t('You are asked before the first passage goes to {0}.', host)}`
    : remote;
}

function unreadOf({ unread }: WindowGrounds): string | null {
  return unread === null ? null : l10n.t('PDF, Office and other documents that were not read: {0}.', unread.documents);
}

function offerOf({ unread }: WindowGrounds): Standing['acts'] {
  return unread === null
    ? []
    : [{ label: l10n.t('Read documents too ({0} MB)', unread.megabytes), command: 'readDocuments' }];
}

/** The host of an origin. */
export function hostOf(endpoint: string): string {
  return endpoint.replace(/^https?:\/\//, '');
}
