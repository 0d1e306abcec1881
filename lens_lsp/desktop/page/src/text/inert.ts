/** Text of notes as it may go into Markdown that others render: nothing in it is a link, an image or HTML. */

const ACTIVE = /[\\`*_[\]<>#|~$:@]|!(?=[-[])|&(?=#?\w+;)/g;
// Controls but tab and line feed, and what reorders or hides text.
const STEERING = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** A text as it may be shown anywhere: no character in it steers what shows it. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(STEERING, '');
}

/** One line of Markdown that shows the text as it is and does nothing. */
export function inertLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim().replace(ACTIVE, '\\$&');
}
