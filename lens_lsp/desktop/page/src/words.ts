/** Every sentence of the page, in English: a translation replaces this file and no other. */
import type { CitationState, Mode, StopReason } from './protocol';
import type { NeedStatus, Passage, Turn } from './state/turn';

const number = new Intl.NumberFormat('en');
const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A number as people write it. */
export function counted(count: number): string {
  return number.format(count);
}

/** A count with the noun that belongs to it. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** A time of the program's, as people write it. */
export function when(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf()) ? iso : day.format(date);
}

const needs: Readonly<Record<NeedStatus, string>> = {
  searching: 'searching',
  covered: 'proven',
  contested: 'contested',
  missing: 'not found',
};

const modes: Readonly<Record<Mode, string>> = {
  auto: 'Automatic',
  evidence: 'Evidence only',
  fast: 'Fast',
  deep: 'Deep',
};

const states: Readonly<Record<CitationState, string>> = {
  verified: 'verified',
  moved: 'moved',
  withdrawn: 'no longer there',
  unverifiable: 'cannot be checked',
};

const stops: Readonly<Partial<Record<StopReason, string>>> = {
  rounds: 'The search ended before everything was proven.',
  nowhere: 'The search found no place left to look.',
  'budget-calls': 'The limit of calls was reached.',
  'budget-tokens': 'The limit of tokens was reached.',
  'budget-seconds': 'The time limit was reached.',
  'budget-cost': 'The cost limit was reached.',
  'model-failed': 'The model failed on the way; this is what the evidence says without it.',
  cancelled: 'Stopped. This is what was found until then.',
};

const hides: Readonly<Record<string, string>> = {
  block: 'inserted answers',
  comment: 'comments',
  cut: 'documents read in part',
  'ignore-cut': 'ignore files of which only the beginning counts',
  'ignore-irregular': 'ignore files that are no plain files',
  'ignore-link': 'ignore files that are links',
  'ignore-no-text': 'ignore files that are no text',
  'ignore-permission': 'ignore files that may not be read',
  'not-read': 'documents of which the last pages were not read yet',
  'open-block': 'an inserted answer without its end hides the rest',
  'open-element': 'a script or style without its end hides the rest',
  question: 'questions in notes',
  unseen: 'text that nobody sees',
};

const skips: Readonly<Record<string, string>> = {
  answer: 'answers of Lens itself',
  binary: 'no text',
  denied: 'may hold secrets',
  ignored: 'ignored',
  irregular: 'no regular file',
  link: 'symbolic link',
  missing: 'not there',
  'not-read': 'not read yet',
  'out-of-scope': 'outside the scope',
  permission: 'no permission',
  unreadable: 'could not be read',
  'too-large': 'too large',
  unsupported: 'no reader for the format',
};

export const words = {
  name: 'Lens',
  close: 'Close',
  cancel: 'Cancel',
  skip: 'Skip to the question',
  navigation: {
    label: 'Lens',
    open: 'Show threads and views',
    fresh: 'New question',
    map: 'Knowledge map',
    sent: 'What was sent',
    settings: 'Settings',
    help: 'Keyboard',
    threads: 'Threads',
    noThreads: 'Questions you ask appear here.',
    filter: 'Filter threads',
    today: 'Today',
    earlier: 'Earlier',
    questions: (count: number) => plural(count, 'question'),
  },
  ask: {
    label: 'Question',
    placeholder: 'Ask your folders',
    followUp: 'Ask a follow-up',
    submit: 'Ask',
    stop: 'Stop',
    scope: 'Where to look',
    everything: 'Everywhere',
    thisDocument: (name: string) => `Only ${name}`,
    pattern: 'Files that match…',
    patternLabel: 'Pattern of files, for example 2024/**/*.md',
    mode: 'How to answer',
    modes,
    preview: 'Preview what would be sent',
    title: 'What do you want to know?',
    folders: (names: readonly string[]) =>
      `Reads ${names.join(', ')} at the moment you ask. Every answer carries its proof.`,
    offline: 'No model is configured: nothing leaves this machine.',
    evidence: 'Answered by rules: nothing leaves this machine.',
    local: (model: string) => `${model} on this machine words the answer. Nothing leaves it.`,
    remote: (model: string, host: string) => `${model} at ${host} words the answer from short passages.`,
    asksFirst: (host: string) => `You are asked before the first passage goes to ${host}.`,
    again: 'Ask again',
  },
  turn: {
    label: (question: string) => `Question: ${question}`,
    needs: 'What the answer needs',
    needStatus: needs,
    answer: 'Answer',
    checking: 'These words are being checked.',
    evidence: 'Evidence',
    soFar: 'Found so far',
    waiting: 'Reading your folders…',
    searching: (scanned: number, found: number) => `${counted(scanned)} of ${plural(found, 'file')} read`,
    round: (round: number) => `round ${round}`,
    confidence: (share: number) => `${Math.round(share * 100)} % of such citations held in tests`,
    none: 'No passage proves an answer.',
    notKept: 'This answer was not kept.',
    failed: (message: string) => `This question failed: ${message}`,
    declined: 'Nothing was sent, and the question was not answered.',
    stops,
    understood: (question: string) => `Understood as: ${question}`,
    reused: 'Proven before, and checked again now',
    copy: 'Copy with citations',
    copied: 'Copied, with citations.',
    copyFailed: 'The browser did not allow to copy.',
    recheck: 'Check sources again',
    details: 'How this was found',
    looked: (scanned: number, found: number, read: number) =>
      `${counted(scanned)} of ${plural(found, 'file')} searched, passages of ${counted(read)} read.`,
    unread: (places: number) =>
      `${plural(places, 'more place')} with the words ${places === 1 ? 'was' : 'were'} not read.`,
    notRead: (unread: number, documents: number) =>
      `${counted(unread)} of ${plural(documents, 'document')} not read yet: nothing is known of them.`,
    skipped: (count: number, reason: string) => `${plural(count, 'file')} skipped: ${skips[reason] ?? reason}.`,
    hidden: (count: number, reason: string) =>
      `${plural(count, 'place')} hidden or without effect: ${hides[reason] ?? reason}.`,
    more: (count: number) => `and ${count} more`,
    rejected: (count: number) =>
      `${plural(count, 'quote')} of the model stood nowhere and ${count === 1 ? 'was' : 'were'} dropped.`,
    computed: (expression: string, value: string) => `Computed: ${expression} = ${value}`,
    calls: (count: number) => plural(count, 'call'),
    tokens: (count: number) => plural(count, 'token'),
    cost: (amount: number) => `cost ${money.format(amount)}`,
    seconds: (seconds: number) => `${seconds.toFixed(1)} s`,
    nothingSent: 'Nothing left this machine',
    sentTo: (passages: number, host: string) => `${plural(passages, 'passage')} sent to ${host}`,
    showSent: 'What was sent',
  },
  card: {
    label: (n: number, place: string) => `Passage ${n}, ${place}`,
    open: 'Open in its document',
    states,
    movedTo: (line: number) => `moved to line ${line}`,
    early: 'found on the way',
    citation: (n: number) => `Passage ${n}`,
  },
  source: {
    label: 'Source',
    reading: 'Opening…',
    rendered: 'Rendered',
    text: 'Text',
    page: 'Page',
    table: 'Table',
    views: 'How it is shown',
    editor: 'Open in editor',
    previous: 'Previous passage (Shift+F4)',
    next: 'Next passage (F4)',
    position: (at: number, of: number) => `${at} of ${of}`,
    gone: 'The passage is no longer in this document. It said:',
    failed: (message: string) => `This document cannot be shown: ${message}`,
    noPicture: 'This page cannot be shown as a picture. This is its text.',
    picture: (page: number, name: string) => `Page ${page} of ${name}, the passage marked`,
    more: (lines: number) => `Show ${plural(lines, 'more line')}`,
    moreRows: (rows: number) => `Show ${plural(rows, 'more row')}`,
    notRendered: 'The passage crosses markup: shown as it is written.',
    passage: 'Cited passage',
  },
  recheck: {
    done: (passages: readonly Passage[]) => {
      const looked = passages.filter(({ checked }) => checked !== undefined);
      const fresh = looked.filter(({ checked }) => checked?.state === 'verified').length;
      return fresh === looked.length
        ? `${plural(fresh, 'citation')} checked: all stand where they stood.`
        : `${plural(looked.length, 'citation')} checked: ${counted(looked.length - fresh)} changed.`;
    },
  },
  consent: {
    title: (host: string | null) => (host === null ? 'May passages be sent?' : `May passages be sent to ${host}?`),
    send: 'Send',
    evidence: 'Evidence only',
    sendMeans: 'Short passages that the question needs go there. The choice is remembered for these folders.',
    evidenceMeans: 'Rules on this machine answer this question, and nothing is sent.',
    refuse: 'Do not answer',
  },
  preview: {
    title: 'What would be sent',
    nothing: 'Nothing would be sent: this question is answered on this machine.',
    to: (host: string) => `To ${host}, with the first request:`,
    request: (stage: string, tokens: number) => `${stage}: about ${plural(tokens, 'token')}`,
    passages: (count: number) => plural(count, 'passage'),
  },
  map: {
    title: 'Knowledge map',
    intro: 'What your questions have proven. Answers that rest on the same passages are joined.',
    empty: 'Nothing is known yet. Ask a question, and what it proves appears here.',
    loading: 'Looking at every source…',
    asGraph: 'Map',
    asList: 'List',
    views: 'How it is shown',
    graph: 'Map of what is known. Arrow keys move between answers, Enter opens one.',
    legend: 'Freshness',
    fresh: 'Fresh',
    moved: 'Moved',
    broken: 'No longer there',
    unknown: 'Cannot be checked',
    facts: 'Facts',
    citations: 'Passages',
    questions: 'Questions',
    related: 'Rests on the same passages',
    retired: 'no longer proven',
    used: (hits: number, iso: string) => `Used ${plural(hits, 'time')}, last ${when(iso)}`,
    freshness: (counts: Readonly<Record<CitationState, number>>) =>
      (Object.keys(states) as CitationState[])
        .filter((state) => counts[state] > 0)
        .map((state) => `${counted(counts[state])} ${states[state]}`)
        .join(', '),
    forget: 'Forget this',
    forgetTitle: 'Forget this for good?',
    forgetMeans: 'The answer, its facts and its passages are removed from the store. Your files stay as they are.',
    forgetDo: 'Forget',
    wrong: 'This is wrong',
    wrongTitle: 'Is this answer wrong?',
    wrongMeans:
      'It is withdrawn: nothing is answered from it any more. Its questions become checks: `lens clusters check` asks them again. Your files stay as they are.',
    wrongDo: 'Withdraw it',
    withdrawn: (count: number) => `Withdrawn; ${plural(count, 'check')} from now on.`,
    ask: 'Ask this again',
    filter: 'Filter',
    detail: 'What is known',
    check: 'Check all sources again',
  },
  sent: {
    title: 'What was sent',
    intro:
      'The ledger of this session: every passage that was given to a model, for which question, and where that is.',
    today: 'Today, all models',
    empty: 'Nothing was asked in this session.',
    question: 'Question',
    to: 'Sent to',
    passages: 'Passages',
    calls: 'Calls',
    tokens: 'Tokens',
    cost: 'Cost',
    nobody: 'nobody',
    noCost: '–',
    amount: (amount: number) => money.format(amount),
    span: (from: number, to: number) => `characters ${counted(from)} to ${counted(to)}`,
    show: (count: number) => `Show ${plural(count, 'passage')}`,
    hide: 'Hide passages',
  },
  settings: {
    title: 'Settings',
    intro: 'Yours, for all folders. A folder can never name a model, a key or a program.',
    model: 'Model',
    baseUrl: 'Address',
    baseUrlHint: 'Of an OpenAI-compatible model, for example http://localhost:11434/v1. Empty: no model is asked.',
    modelName: 'Name',
    modelNameHint: 'What the endpoint calls the model.',
    mode: 'How questions are answered',
    limits: 'Limits of one question',
    calls: 'Calls',
    tokens: 'Tokens',
    seconds: 'Seconds',
    cost: 'Cost',
    noLimit: 'no limit of your own',
    save: 'Save settings',
    saved: 'Saved.',
    key: 'Key',
    keyIntro: "Kept in this system's keyring for the model's address; the page never gets it back.",
    keyStored: (origin: string) => `A key is kept for ${origin}.`,
    keyNone: (origin: string) => `No key is kept for ${origin}.`,
    keyFromOutside: (origin: string) => `LENS_API_KEY is used for ${origin}.`,
    keyNoModel: 'A key belongs to the address of a model: save that first.',
    keyNowhere: 'This system has no keyring that Lens can use. Set LENS_API_KEY where Lens starts.',
    keyNew: 'New key',
    keySave: 'Keep key',
    keySaved: 'The key is kept.',
    keyDrop: 'Remove key',
    keyDropped: 'The key is removed.',
    agreeTitle: 'May text go to this address?',
    agree: 'Use this address',
    scans: 'Scanned pages',
    ocr: 'Recognise text on them (OCR)',
    ocrChoices: { '': 'Where it is installed', on: 'On, in image files, too', off: 'Off' },
    ocrLanguages: (languages: string) => `By tesseract: ${languages}`,
    ocrState: (said: string) => `Now: ${said}.`,
    folders: 'Folders that are searched',
    page: 'This page',
    letters: 'Single letters as shortcuts',
    theme: 'Appearance',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  },
  help: {
    title: 'Keyboard',
    keys: [
      ['/', 'Write a question'],
      ['Enter', 'Ask; open the chosen passage'],
      ['Shift+Enter', 'A new line in the question'],
      ['Esc', 'Close what is open; then stop the search'],
      ['j  k', 'Next and previous passage'],
      ['↓  ↑', 'The same, where a passage has the focus'],
      ['F4  Shift+F4', 'Open the next and the previous passage'],
      ['e', 'Open the source in the editor'],
      ['c', 'Copy the answer with its citations'],
      ['r', 'Check the sources again'],
      ['n', 'New question'],
      ['t', 'Threads'],
      ['m', 'Knowledge map'],
      ['s', 'What was sent'],
      [',', 'Settings'],
      ['?', 'This sheet'],
    ] as readonly (readonly [string, string])[],
  },
  live: {
    searching: 'Searching.',
    stopped: 'Stopped.',
    planned: (count: number) => `The answer needs ${plural(count, 'fact')}.`,
    covered: (covered: number, count: number) => `${covered} of ${plural(count, 'fact')} proven.`,
    ended: ({ state, needs, passages }: Turn) => {
      if (state === 'failed') {
        return 'The question failed.';
      }
      const covered = needs.filter(({ status }) => status === 'covered').length;
      const begins = state === 'cancelled' ? 'Stopped.' : 'Answer ready.';
      return `${begins} ${covered} of ${plural(needs.length, 'fact')} proven, ${plural(passages.length, 'passage')}.`;
    },
  },
  failures: {
    locked: 'This page needs its link: open the last one that `lens desktop` printed.',
    disconnected: 'Lens does not answer. What was asked goes on, and the page reconnects by itself.',
    streamLost: 'its progress can no longer be followed',
    start: (message: string) => `Lens cannot be reached: ${message}`,
    serverGone: 'The search stopped working and is being started again. Questions that ran have to be asked again.',
  },
} as const;
