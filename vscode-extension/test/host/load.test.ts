import * as assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as vscode from 'vscode';
import { client, inWorkspace } from './window';

const FILES = 20_000;
/** Milliseconds for which the extension host may be busy at a stretch while they are searched. */
const LONGEST_STRETCH = 200;

suite('A folder of many files', () => {
  test(`${FILES.toLocaleString('en')} files are asked and the extension host stays free`, async function () {
    const lens = await client();
    const folders = [inWorkspace('many').toString()];
    await vscode.workspace.getConfiguration('lens').update('exclude', [], vscode.ConfigurationTarget.Global);
    await lens.request('lens/status', {});
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const result = await lens.ask({ question: 'When was the bridge at Arlen opened?', scope: { folders } }, () => {});
    delay.disable();
    const longest = delay.max / 1e6;
    assert.ok(this.test);
    this.test.title += `: busy for ${longest.toFixed(0)} ms at most`;
    assert.equal(result.status, 'answered');
    assert.ok(result.coverage.scanned >= FILES, `${result.coverage.scanned} files were scanned`);
    assert.ok(longest <= LONGEST_STRETCH, `it was busy for ${longest.toFixed(0)} ms`);
  });
});
