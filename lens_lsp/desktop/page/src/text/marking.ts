/**
 * The exact passage inside rendered Markdown. Two characters that no note uses are put around it in the source, and
 * what stands between them after rendering is marked; where markup swallows one of them there is no mark, and the caller
 * shows the text as it is written instead.
 */
import type { Stretch } from './offsets';

/** Punctuation, so that emphasis beside it still is emphasis. */
const BEGIN = '\u2cfa';
const END = '\u2cfb';

/** What begins a line and is markup only at its beginning. */
const LINE_MARKUP =
  /^(?:[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+|>[ \t]?|\|[ \t]*))*[ \t]*/;
const LINE_ENDING_MARKUP = /(?:[ \t]*\|)?[ \t\n]*(?:#+[ \t]*)?$/;
const FENCE = /^[ \t]*(?:`{3,}|~{3,})[^\n]*\n/;

/** The source with both characters in it; undefined where it holds them itself or nothing is left to mark. */
export function withMarks(text: string, { start, end }: Stretch): string | undefined {
  if (text.includes(BEGIN) || text.includes(END)) {
    return undefined;
  }
  const from = pastMarkup(text, start, end);
  const to = end - (LINE_ENDING_MARKUP.exec(text.slice(from, end))?.[0].length ?? 0);
  if (from >= to) {
    return undefined;
  }
  return text.slice(0, from) + BEGIN + text.slice(from, to) + END + text.slice(to);
}

function pastMarkup(text: string, start: number, end: number): number {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  const fence = FENCE.exec(text.slice(line, end))?.[0].length ?? 0;
  const first = Math.max(start, line + fence);
  const begins = text.lastIndexOf('\n', first - 1) + 1;
  const markup = LINE_MARKUP.exec(text.slice(begins, end))?.[0].length ?? 0;
  return Math.max(first, begins + markup);
}

/** Marks what stands between the characters and takes them out. False: they did not both survive, nothing is marked. */
export function markBetween(root: DocumentFragment | Element): boolean {
  const texts = textsOf(root);
  const from = texts.findIndex((node) => node.data.includes(BEGIN));
  const to = texts.findIndex((node) => node.data.includes(END));
  const both = from >= 0 && to >= from;
  if (both) {
    for (const node of texts.slice(from, to + 1)) {
      markNode(node);
    }
  }
  for (const node of textsOf(root)) {
    if (node.data.includes(BEGIN) || node.data.includes(END)) {
      node.data = node.data.replaceAll(BEGIN, '').replaceAll(END, '');
    }
  }
  return both;
}

function markNode(node: Text): void {
  const start = node.data.includes(BEGIN) ? node.data.indexOf(BEGIN) + 1 : 0;
  const stop = node.data.indexOf(END);
  const end = stop < 0 ? node.data.length : stop;
  if (node.data.slice(start, end).trim() === '') {
    return;
  }
  const marked = node.splitText(start);
  marked.splitText(end - start);
  const mark = document.createElement('mark');
  marked.replaceWith(mark);
  mark.append(marked);
}

function textsOf(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    texts.push(node as Text);
  }
  return texts;
}

const CITED = /\[(\d{1,4})\]/g;
const JOINER = '\u2060';

/** Markdown in which an escaped `\[n]`, the words of a note, will not be taken for a citation: see `replaceCitations`. */
export function withoutForeignMarks(markdown: string): string {
  return markdown.replace(/\\\[(?=\d{1,4}\])/g, `\\[${JOINER}`);
}

/** Turns each `[n]` outside of code into what `make` gives for its number; undefined leaves it as it is. */
export function replaceCitations(root: DocumentFragment, make: (n: number) => Node | undefined): void {
  for (const node of textsOf(root)) {
    if (node.parentElement?.closest('code, pre')) {
      node.data = asWritten(node.data);
      continue;
    }
    const parts: Node[] = [];
    let last = 0;
    for (const match of node.data.matchAll(CITED)) {
      const made = make(Number(match[1]));
      if (made !== undefined) {
        parts.push(
          document.createTextNode(asWritten(node.data.slice(last, match.index)).replace(/ $/, '\u202f')),
          made,
        );
        last = match.index + match[0].length;
      }
    }
    if (parts.length > 0) {
      node.replaceWith(...parts, document.createTextNode(asWritten(node.data.slice(last))));
    } else {
      node.data = asWritten(node.data);
    }
  }
}

function asWritten(text: string): string {
  return text.replaceAll(`[${JOINER}`, '[');
}
