/** What the workbench's extension host runs: the tests of this folder, in the order they stand here. */

import * as v8 from 'node:v8';
import Mocha from 'mocha';

/** Runs the tests; rejects when one fails. The results are written where `LENS_TEST_RESULTS` says. */
export async function run(): Promise<void> {
  const output = process.env.LENS_TEST_RESULTS;
  const mocha = new Mocha({ ui: 'tdd', timeout: 120_000, reporter: 'json', reporterOptions: { output } });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('./activation.test');
  await import('./client.test');
  await import('./answers.test');
  await import('./editor.test');
  await import('./documents.test');
  await import('./chat.test');
  await import('./standing.test');
  await import('./load.test');
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('test end', (test) => console.log(`${test.state ?? 'skipped'}: ${test.fullTitle()}`));
    runner.on('fail', (test, error) => console.log(`failed: ${test.fullTitle()}: ${error.stack ?? error}`));
  });
  // The host is killed, it never exits: what was covered must be written by hand.
  v8.takeCoverage();
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
