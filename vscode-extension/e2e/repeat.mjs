/**
 * `npm run e2e:repeat [N]`: tells all stories N times (20) and writes how each run went to `repeat.json`. A story that
 * fails is kept as it is and never told again in its run: the file says how often the stories hold. What was cut off goes
 * on where it stood as long as the packaged extension and the stories are the same, byte by byte; else all begins anew. An
 * extension that is packaged again with the same SOURCE_DATE_EPOCH is the same.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { names, tellAll } from './main.mjs';
import { packaged } from './packaged.mjs';
import { e2e } from './rig.mjs';

const times = Number(process.argv[2] ?? 20);
if (!Number.isInteger(times) || times < 1) throw new Error(`how often? ${process.argv[2]} is no number from 1`);

const file = path.join(e2e, 'repeat.json');
const of = fingerprint([packaged(), ...sources(e2e), ...sources(path.join(e2e, 'stories'))]);
const seconds = (value) => Math.round(value * 10) / 10;
const whole = (run) => run.stories.length === names().length;
const passes = (run) => run.stories.every((each) => each.passed);

function sources(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .sort()
    .map((name) => path.join(folder, name));
}

function fingerprint(files) {
  const hash = createHash('sha256');
  for (const each of files) hash.update(readFileSync(each));
  return hash.digest('hex');
}

/** The runs of these very stories that were told before. */
function told() {
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf-8')) : {};
  return before.of === of ? before.each : [];
}

/** Writes the runs that are whole as what they came to, and the one that is under way beside them. */
function write(runs) {
  const ended = runs.filter(whole);
  const each = runs.map((run) => ({
    run: run.run,
    passed: whole(run) && passes(run),
    seconds: seconds(run.stories.reduce((sum, story) => sum + story.seconds, 0)),
    stories: run.stories,
  }));
  const record = { of, runs: ended.length, passed: ended.filter(passes).length, each };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}

const runs = told().slice(0, times);
for (let run = 1; run <= times; run += 1) {
  runs[run - 1] ??= { run, stories: [] };
  const { stories } = runs[run - 1];
  const missing = names().filter((name) => !stories.some(({ story }) => story === name));
  if (missing.length > 0) console.log(`run ${run} of ${times}`);
  for (const name of missing) {
    const [{ story, passed, seconds: took, measured, failed }] = await tellAll([name]);
    stories.push({ story, passed, seconds: seconds(took), ...measured, ...(failed && { failed }) });
    write(runs);
  }
}
const passed = runs.filter(passes).length;
console.log(`${passed} of ${times} runs without a failure`);
process.exitCode = passed === times ? 0 : 1;
