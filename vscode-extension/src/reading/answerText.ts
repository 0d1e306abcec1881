import * as path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The text of answer files: front matter, a heading, words with `[^n]`, footnotes. Nothing here knows the editor.
 */

const HEAD = /^---\r?\nlens: answer\/\d+\r?\n/;
const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---\r?\n+/;
const QUESTION = /^question: (".*")\r?$/m;
const ROOTS = /^roots: (\[.*\])$/m;
const FOOTNOTE_LINK = /^(\[\^[^\]\s]+\]: \[(?:\\.|[^\]\\])*\]\()([^\s()]*)(\) ")/gm;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/** Whether a text, or its beginning, is an answer file. */
export function isAnswer(text: string): boolean {
  return HEAD.test(text);
}

/** The question of an answer file; undefined where it cannot be read. */
export function questionOf(text: string): string | undefined {
  const written = QUESTION.exec(FRONT_MATTER.exec(text)?.[0] ?? '')?.[1];
  const question = written === undefined ? undefined : parsed(written);
  return typeof question === 'string' ? question : undefined;
}

/** The line of the heading below which all of an answer stands, from 0; 0 where there is none. */
export function headingLine(text: string): number {
  return Math.max(
    0,
    text.split('\n').findIndex((line) => line.startsWith('# ')),
  );
}

/** The answer for somewhere else: without the front matter, its links as they hold everywhere. */
export function shareable(text: string, folder: string): string {
  return withAbsoluteLinks(text.replace(FRONT_MATTER, ''), folder);
}

/** The whole answer file as it can be checked from another folder: roots and links that were relative are absolute. */
export function relocated(text: string, folder: string): string {
  const front = FRONT_MATTER.exec(text)?.[0] ?? '';
  return withAbsoluteRoots(front, folder) + withAbsoluteLinks(text.slice(front.length), folder);
}

function withAbsoluteRoots(front: string, folder: string): string {
  return front.replace(ROOTS, (line, written: string) => {
    const roots = parsed(written);
    if (!Array.isArray(roots)) {
      return line;
    }
    return `roots: ${JSON.stringify(roots.map((root) => path.resolve(folder, String(root))))}`;
  });
}

function withAbsoluteLinks(body: string, folder: string): string {
  return body.replace(FOOTNOTE_LINK, (line, before: string, link: string, behind: string) => {
    if (ABSOLUTE.test(link)) {
      return line;
    }
    const [file = '', fragment] = link.split('#');
    const target = pathToFileURL(path.resolve(folder, decoded(file))).href;
    return `${before}${target}${fragment === undefined ? '' : `#${fragment}`}${behind}`;
  });
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}
