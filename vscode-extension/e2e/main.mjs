/** `npm run e2e [story …]`: tells the stories against the packaged extension, and fails when one fails. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { e2e, missing } from './rig.mjs';
import { tell } from './story.mjs';

const stories = path.join(e2e, 'stories');

/** The names of the stories, in the order they are told. */
export function names() {
  return readdirSync(stories)
    .map((file) => path.parse(file).name)
    .sort();
}

/** Tells stories one after the other; gives how each went. */
export async function tellAll(chosen = names()) {
  if (missing().length > 0) throw new Error(`run \`npm run e2e:setup\` first: ${missing().join(', ')} missing`);
  const results = [];
  for (const name of chosen) {
    const { story } = await import(pathToFileURL(path.join(stories, `${name}.mjs`)));
    results.push(await tell(name, story));
  }
  return results;
}

if (import.meta.filename === process.argv[1]) {
  const results = await tellAll(process.argv.length > 2 ? process.argv.slice(2) : undefined);
  for (const { story, passed, seconds, failed } of results) {
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${story} (${seconds.toFixed(1)} s)`);
    if (!passed) console.log(failed); // once more: the end of a log is often all that is kept
  }
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
}
