import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import { extension } from './window';

const MOST_MILLISECONDS = 100;
const PEER = 'vscode.markdown-language-features';

/** The programs that this extension host started: their command lines. */
function children(): string[] {
  const told = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'args='], { encoding: 'utf8' });
  return told.split('\n').filter((line) => line.includes('lens_lsp'));
}

interface Marks {
  readonly MonacoPerformanceMarks: { getMarks(): readonly { readonly name: string; readonly startTime: number }[] };
}

/** How many milliseconds the host took to load an extension's code, as it marks it itself; null for one it did not load. */
function loading(id: string): number | null {
  const marks = (globalThis as unknown as Marks).MonacoPerformanceMarks.getMarks();
  const at = (step: string) => marks.find(({ name }) => name === `code/extHost/${step}ExtensionCode/${id}`)?.startTime;
  const [began, ended] = [at('willLoad'), at('didLoad')];
  return began === undefined || ended === undefined ? null : ended - began;
}

/** The same of the editor's own support of Markdown. */
async function loadedPeer(): Promise<number> {
  await vscode.extensions.getExtension(PEER)?.activate();
  const took = loading(PEER);
  assert.ok(took !== null, `the host did not load ${PEER}`);
  return took;
}

suite('Activation', () => {
  test('nothing of ours runs before it is needed', () => {
    assert.equal(extension().isActive, false);
  });

  test(`takes at most ${MOST_MILLISECONDS} ms, on a slow machine half as long as the editor's own Markdown`, async function () {
    const peer = await loadedPeer();
    // What the host does meanwhile, fetching what it keeps for us from the window, is not ours.
    const activating = (await extension().activate()).took;
    const took = activating + (loading('lens-lsp.lens') ?? Number.NaN);
    assert.ok(this.test);
    this.test.title += `: ${took.toFixed(1)} ms, ${activating.toFixed(1)} of them in activate(); Markdown ${peer.toFixed(1)} ms`;
    assert.ok(
      took <= Math.max(MOST_MILLISECONDS, peer / 2),
      `it took ${took.toFixed(1)} ms, Markdown ${peer.toFixed(1)}`,
    );
  });

  test('starts no server', () => {
    assert.equal(extension().exports.client.state, 'stopped');
    assert.deepEqual(children(), []);
  });
});
