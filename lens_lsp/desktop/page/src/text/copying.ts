/** An answer as Markdown for elsewhere: its words, and a footnote with place and quote for each passage it cites. */
import { lineOf, type Passage, type Turn } from '../state/turn';
import { words } from '../words';
import { inertLine, printable } from './inert';
import { fragmentOf, lineIn, placeInWords } from './places';

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

/** A text between marks that name it as ours, as `lens_lsp.model.marks` writes them: it is never evidence. */
function stamped(text: string, about: string): string {
  let digest = 0x811c9dc5; // FNV-1a: it only has to pair two marks
  for (const char of about) {
    digest = Math.imul(digest ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  const name = `w${digest.toString(16).padStart(8, '0')}`;
  return `<!-- lens:begin ${name} {"lens":"output/1"} -->\n\n${text}\n<!-- lens:end ${name} -->\n`;
}

function footnote(passage: Passage): string {
  const { n, path, uri, locator, quote } = passage;
  const line = lineIn(path, lineOf(passage));
  const place = placeInWords(path, locator, null, words.place.wholePage);
  const behind = place !== '' ? `, ${inertLine(place)}` : line !== null ? `:${line}` : '';
  const name = inertLine(path) + behind;
  const link = uri === null ? name : `[${name}](<${uri}${fragmentOf(locator, line)}>)`;
  return `[^${n}]: ${link}: “${inertLine(quote)}”`;
}
