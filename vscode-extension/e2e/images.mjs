/**
 * `npm run e2e:images [picture …]`: copies the pictures that README, walkthrough and docs show from the last run of the
 * stories; names choose some.
 *
 * They show paths: let the stories work in a folder whose name may be seen, as in `LENS_E2E_SCRATCH=/srv/lens npm run e2e`.
 */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { extension, shots } from './rig.mjs';

/** The picture, the story, and the step whose end it shows. */
const CHOSEN = [
  ['answer', 'reading', 'the-answer-has-come-with-its-citation'],
  ['evidence', 'reading', 'the-citation-leads-to-the-exact-words'],
  ['page', 'documents', 'the-citation-leads-to-the-page-with-the-words-highlighted'],
  ['drift', 'reading', 'the-source-is-edited-and-the-citation-has-drifted'],
  ['search', 'searching', 'passages-come-while-one-types'],
  ['model', 'chat', 'before-the-model-of-the-editor-reads-anything-the-user-is-asked'],
  ['chat', 'chat', 'the-place-leads-to-the-exact-words'],
];

mkdirSync(path.join(extension, 'images'), { recursive: true });
const named = process.argv.slice(2);
for (const [picture, story, step] of CHOSEN) {
  if (named.length > 0 && !named.includes(picture)) continue;
  const file = readdirSync(path.join(shots, story)).find((name) => name.endsWith(`-${step}.png`));
  if (file === undefined) throw new Error(`the story ${story} has no picture of ${step}: run it first`);
  copyFileSync(path.join(shots, story, file), path.join(extension, 'images', `${picture}.png`));
}
