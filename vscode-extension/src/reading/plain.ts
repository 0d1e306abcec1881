import { printable } from '../inert';

/** Text of notes, questions and models on one line, for the parts of the editor that make something of plain text. */

const LONGEST_NOTIFICATION = 160;

/** For a notification, in which `[text](address)` is a link that can even run a command. */
export function inNotification(text: string): string {
  return oneLine(text, LONGEST_NOTIFICATION).replace(/\]\(/g, '] (');
}

/** For a row of a quick pick, in which `$(name)` is an icon. */
export function inRow(text: string, longest: number): string {
  return oneLine(text, longest).replace(/\$\(/g, '$ (');
}

/** A text on one line, no longer than that. */
export function oneLine(text: string, longest: number): string {
  // What is cut off anyway need not be looked at.
  const line = printable(text.slice(0, longest * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
