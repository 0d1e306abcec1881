/** Folders that a story may change: copies of the papers of a town library, which say nothing of this program. */
import fs from 'node:fs';
import path from 'node:path';

import { e2e, repository } from './rig.mjs';

/** A question that the papers answer, and the sentence that proves it. */
export const QUESTION = 'How many questions run at a time and how many wait?';
export const PROOF = 'Four questions run at a time and sixty-four wait.';
export const SOURCE = 'service/enquiry-desk.md';
/** What the reader of the stories takes for an answer, a word each: none of them rests on the weights there are. */
export const PROVING = ['sixty', '1881', '1931', '2031', 'bell', 'nineteen'];
/** The program that writes such a reader: to a folder, with these words. */
export const WRITE_READER = path.join(repository, 'tests/judge/reader/tiny_reader.py');

/** Copies the papers, or one folder of them, to a new place; gives that place. */
export function docs(to, part = '') {
  fs.rmSync(to, { recursive: true, force: true });
  fs.cpSync(path.join(e2e, 'fixtures/library', part), to, { recursive: true });
  return to;
}

/** Where the proof stands in a copy: line and column from 1, and how long it is. */
export function proofIn(folder) {
  const lines = fs.readFileSync(path.join(folder, SOURCE), 'utf8').split('\n');
  const line = lines.findIndex((each) => each.includes(PROOF));
  if (line < 0) throw new Error(`${SOURCE} does not say “${PROOF}”`);
  return { line: line + 1, column: lines[line].indexOf(PROOF) + 1, length: PROOF.length };
}

/** How many files `many` writes. */
export const FILES = 20_000;

/**
 * Writes many small notes, one of which answers a question; gives the folder, the question and the sentence.
 * The editor's own support of Markdown reads all notes called .md that are in a window when references are asked for.
 */
export function many(folder, ending = '.md') {
  fs.rmSync(folder, { recursive: true, force: true });
  for (let number = 0; number < FILES; number += 1) {
    const within = path.join(folder, `box-${String(Math.floor(number / 100)).padStart(3, '0')}`);
    if (number % 100 === 0) fs.mkdirSync(within, { recursive: true });
    const day = `On day ${number % 365} the carts of mill ${number} were counted and the old bridge was closed for repairs.`;
    fs.writeFileSync(path.join(within, `log-${number}${ending}`), `# Log ${number}\n\n${day}\n`);
  }
  const proof = 'The bridge at Arlen was opened on 4 May 1931.';
  fs.writeFileSync(path.join(folder, 'box-117', `arlen${ending}`), `# Arlen\n\n${proof}\n`);
  return { folder, question: 'When was the bridge at Arlen opened?', proof };
}
