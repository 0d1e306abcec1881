/**
 * `npm run e2e:repeat [N]`: tells all stories N times (20) and writes how each run went to `repeat.json`. A run that fails
 * is kept as it is and never repeated: the file says how often the stories hold.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { tellAll } from './main.mjs';
import { e2e } from './rig.mjs';

const times = Number(process.argv[2] ?? 20);
if (!Number.isInteger(times) || times < 1) throw new Error(`how often? ${process.argv[2]} is no number from 1`);
const seconds = (value) => Math.round(value * 10) / 10;

const runs = [];
for (let run = 1; run <= times; run += 1) {
  console.log(`run ${run} of ${times}`);
  const told = await tellAll();
  runs.push({
    run,
    passed: told.every((each) => each.passed),
    seconds: seconds(told.reduce((sum, each) => sum + each.seconds, 0)),
    stories: told.map(({ story, passed, seconds: took, measured, failed }) => ({
      story,
      passed,
      seconds: seconds(took),
      ...measured,
      ...(failed && { failed }),
    })),
  });
  const passed = runs.filter((each) => each.passed).length;
  writeFileSync(
    path.join(e2e, 'repeat.json'),
    `${JSON.stringify({ runs: runs.length, passed, each: runs }, null, 2)}\n`,
  );
}
const failed = runs.filter((each) => !each.passed).length;
console.log(`${times - failed} of ${times} runs without a failure`);
process.exitCode = failed === 0 ? 0 : 1;
