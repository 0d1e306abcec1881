import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { extension } from './window';

const MOST_MILLISECONDS = 100;

/** The programs that this extension host started: their command lines. */
function children(): string[] {
  const told = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'args='], { encoding: 'utf8' });
  return told.split('\n').filter((line) => line.includes('lens_lsp'));
}

interface Marks {
  readonly MonacoPerformanceMarks: { getMarks(): readonly { readonly name: string; readonly startTime: number }[] };
}

/** How many milliseconds the host took to load our code, as it marks it itself. */
function loading(): number {
  const marks = (globalThis as unknown as Marks).MonacoPerformanceMarks.getMarks();
  const at = (step: string): number => {
    const mark = marks.find(({ name }) => name === `code/extHost/${step}ExtensionCode/lens-lsp.lens`);
    assert.ok(mark, `the host marks no ${step}`);
    return mark.startTime;
  };
  return at('didLoad') - at('willLoad');
}

suite('Activation', () => {
  test('nothing of ours runs before it is needed', () => {
    assert.equal(extension().isActive, false);
  });

  test(`takes at most ${MOST_MILLISECONDS} ms`, async function () {
    // What the host does meanwhile, fetching what it keeps for us from the window, is not ours.
    const activating = (await extension().activate()).took;
    const took = activating + loading();
    assert.ok(this.test);
    this.test.title += `: ${took.toFixed(1)} ms, ${activating.toFixed(1)} of them in activate()`;
    // By the clock: where more is to do than there are processors for, it tells of what others do.
    if (took > MOST_MILLISECONDS && (loadavg()[0] ?? 0) > 2 * availableParallelism()) {
      this.skip();
    }
    assert.ok(took <= MOST_MILLISECONDS, `it took ${took.toFixed(1)} ms`);
  });

  test('starts no server', () => {
    assert.equal(extension().exports.client.state, 'stopped');
    assert.deepEqual(children(), []);
  });
});
