/** Which folders and kinds of files are asked where nothing narrower is chosen, and what of each folder can be read. */
import { computed, signal } from '@preact/signals';

import { rpc } from '../api';
import type { Coverage, FindResult, Scope } from '../protocol';
import { editor, recall, remember } from '../surface';
import { folders, tellFailure } from './page';

/** Kinds of files by the ends of their names. What has another end is asked where every kind is. */
export const KINDS = {
  notes: ['md', 'markdown', 'txt', 'rst', 'org', 'adoc', 'tex'],
  documents: ['pdf', 'docx', 'odt', 'rtf', 'pptx', 'odp', 'epub', 'eml', 'mbox'],
  tables: ['csv', 'tsv', 'xlsx', 'xls', 'xlsb', 'ods'],
  data: ['html', 'htm', 'xml', 'json', 'jsonl', 'yaml', 'yml', 'toml', 'ipynb'],
  code: [
    'py',
    'js',
    'ts',
    'tsx',
    'jsx',
    'c',
    'h',
    'cpp',
    'hpp',
    'rs',
    'go',
    'java',
    'kt',
    'rb',
    'php',
    'sh',
    'sql',
    'cs',
  ],
} as const;
export type Kind = keyof typeof KINDS;

const UNASKED = 'unasked';
const LEFT_OUT = 'kinds';

/** Folders that are not asked, by their URI, and kinds that are not. */
const unasked = signal(list(UNASKED));
const leftOut = signal(list(LEFT_OUT));

function list(name: string): readonly string[] {
  return editor === undefined ? (JSON.parse(recall(name) ?? '[]') as string[]) : [];
}

export const askedFolders = computed(() => {
  const asked = folders.value.filter(({ uri }) => !unasked.value.includes(uri));
  return asked.length > 0 ? asked : folders.value;
});
export const askedKinds = computed(() => {
  const all = Object.keys(KINDS) as Kind[];
  const asked = all.filter((kind) => !leftOut.value.includes(kind));
  return asked.length > 0 ? asked : all;
});
/** Whether something is left out. */
export const narrowed = computed(
  () => askedFolders.value.length < folders.value.length || askedKinds.value.length < Object.keys(KINDS).length,
);

/** Has a folder asked or not. */
export function askFolder(uri: string, asked: boolean): void {
  unasked.value = changed(unasked.value, uri, asked);
  remember(UNASKED, JSON.stringify(unasked.value));
}

/** Has a kind of files asked or not. */
export function askKind(kind: Kind, asked: boolean): void {
  leftOut.value = changed(leftOut.value, kind, asked);
  remember(LEFT_OUT, JSON.stringify(leftOut.value));
}

function changed(without: readonly string[], each: string, asked: boolean): readonly string[] {
  const others = without.filter((other) => other !== each);
  return asked ? others : [...others, each];
}

/** Where a question looks that names nothing narrower. */
export function chosenSources(): Scope {
  const kinds = askedKinds.value;
  return {
    ...(askedFolders.value.length < folders.value.length && { folders: askedFolders.value.map(({ uri }) => uri) }),
    ...(kinds.length < Object.keys(KINDS).length && {
      globs: kinds.flatMap((kind) => KINDS[kind].map((end) => `**/*.${end}`)),
    }),
  };
}

/** What a look at a folder found; null while it is looked at. */
export const coverageOf = signal<ReadonlyMap<string, Coverage | null>>(new Map());

/** Looks at a folder: what of it can be read, and why not. Documents that were not read yet are read now. */
export async function look(uri: string, name: string): Promise<void> {
  coverageOf.value = new Map(coverageOf.value).set(uri, null);
  try {
    const { coverage } = await rpc<FindResult>('lens/find', { query: name, scope: { folders: [uri] }, limit: 1 });
    coverageOf.value = new Map(coverageOf.value).set(uri, coverage);
  } catch (error) {
    const rest = new Map(coverageOf.value);
    rest.delete(uri);
    coverageOf.value = rest;
    tellFailure(error);
  }
}
