/**
 * Text of notes and models made harmless for Markdown: nothing in it is a link, an image, HTML or an address.
 *
 * The server's own `lens_lsp/model/sanitize.py` is the model. `MarkdownString` is never trusted and never takes HTML, but a
 * bare address is still a link there, and an image is still fetched.
 */

// `src` and the like too: the editor offers these as links also where the tag begins with a backslash.
const ACTIVE = /[\\`*_[\]<>#|~$:@]|!(?=[-[])|&(?=#?\w+;)|(?<=www)\.|(?<=src|href|placeholder)\s*=/gi;
// Not after an odd number of backslashes: there it is harmless already.
const LIVE =
  /(?<!\\)((?:\\\\)*)(!(?=\[)|<(?=[a-z/!?])|(?<=\])[(:]|&(?=#?\w+;)|:(?=\/\/)|(?<=www)\.|(?<=src|href|placeholder)\s*=|@(?=[\w\\-]))/gi;
// Controls but tab and line feed, and what reorders or hides text.
const STEERING = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** A text as it may be shown anywhere: no character in it steers what shows it. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(STEERING, '');
}

/** One line of Markdown that shows the text as it is and does nothing. */
export function inertMarkdown(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim().replace(ACTIVE, '\\$&');
}

/** Markdown as it was written, in which nothing is a link, an image or HTML. */
export function withoutLinks(markdown: string): string {
  return printable(markdown).replace(LIVE, '$1\\$2');
}
