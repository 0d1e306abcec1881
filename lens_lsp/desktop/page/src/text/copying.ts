/** An answer for elsewhere, with place and quote of each passage it cites: plain for a mail, as Markdown for a file. */
import { lineOf, type Passage, type Turn } from '../state/turn';
import { words } from '../words';
import { inertLine, printable } from './inert';
import { fragmentOf, lineIn, placeInWords } from './places';
import { withoutRemark } from './remarks';

// Not after an odd number of backslashes: there it is harmless already.
const LIVE = /(?<!\\)((?:\\\\)*)(!(?=\[)|<(?=[a-z/!?])|(?<=\])[(:]|&(?=#?\w+;)|:(?=\/\/)|(?<=www)\.)/gi;

/** The answer of a question with its citations. Nothing of a note or a model in it is a link, an image or HTML. */
export function withCitations({ question, answer, passages }: Pick<Turn, 'question' | 'answer' | 'passages'>): string {
  const cited = passages.filter((passage) => passage.cited);
  const known = new Set(cited.map(({ n }) => n));
  const said = printable(answer)
    .trim()
    .replace(LIVE, '$1\\$2')
    .replace(/(?<!\\)\[(\d+)\]/g, (mark, n: string) => (known.has(Number(n)) ? `[^${n}]` : mark));
  const notes = cited.map(footnote);
  const text = [`**${inertLine(question)}**`, '', said, '', ...notes, ''].join('\n');
  return stamped(text, question);
}

/** What is said of an answer as a whole, a paragraph in italics. */
const REMARK = /^\*[^*].*\*$/s;

/** The same as plain text: the answer without remarks on it and marks of Markdown, then its passages by number. */
export function asPlainText({ question, answer, passages }: Pick<Turn, 'question' | 'answer' | 'passages'>): string {
  const said = printable(withoutRemark(answer).said)
    .split(/\n{2,}/)
    .filter((paragraph) => !REMARK.test(paragraph.trim()))
    .join('\n\n')
    .replace(/^> ?/gm, '')
    .replace(/\*\*(?=\S)(.+?)(?<=\S)\*\*/g, '$1')
    .trim();
  const notes = passages
    .filter(({ cited }) => cited)
    .map((passage) => `[${passage.n}] ${printable(named(passage))}: “${printable(passage.quote)}”`);
  return `${[printable(question), said, notes.join('\n')].filter((part) => part !== '').join('\n\n')}\n`;
}

/** A text between marks that name it as ours, as `lens_lsp.model.marks` writes them: it is never evidence. */
function stamped(text: string, about: string): string {
  let digest = 0x811c9dc5; // FNV-1a: it only has to pair two marks
  for (const char of about) {
    digest = Math.imul(digest ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  const name = `w${digest.toString(16).padStart(8, '0')}`;
  return `<!-- lens:begin ${name} {"lens":"output/1"} -->\n\n${text}\n<!-- lens:end ${name} -->\n`;
}

/** A path with the page or line behind it. */
function named(passage: Passage, inert: (text: string) => string = (text) => text): string {
  const line = lineIn(passage.path, lineOf(passage));
  const place = placeInWords(passage.path, passage.locator, null, words.place.wholePage);
  return inert(passage.path) + (place !== '' ? `, ${inert(place)}` : line !== null ? `:${line}` : '');
}

function footnote(passage: Passage): string {
  const { n, path, uri, locator, quote } = passage;
  const line = lineIn(path, lineOf(passage));
  const name = named(passage, inertLine);
  const link = uri === null ? name : `[${name}](<${uri}${fragmentOf(locator, line)}>)`;
  return `[^${n}]: ${link}: “${inertLine(quote)}”`;
}
