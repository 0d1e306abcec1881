/**
 * `node e2e/noteWindow.mjs FOLDER NOTE HOME`: the workbench with a note of a folder open, driven by lines on standard
 * input, each answered by a line of JSON, for `python -m benchmarks.drift_shown`: `marked`, the lines of the note that
 * the screen underlines as warnings; `change FILE`, typed over in another editor; `back`, which throws that away.
 */
import readline from 'node:readline';

import { environmentOf, packaged } from './packaged.mjs';
import { Server } from './server.mjs';
import { launch, Workbench } from './workbench.mjs';

const [folder, note, home] = process.argv.slice(2);

/** In the page: the numbers of a note's lines that are underlined as warnings. */
function underlined(name) {
  const editor = document.querySelector(`.monaco-editor[data-uri$="/${name}"]`);
  const numbers = new Map(
    [...(editor?.querySelectorAll('.margin-view-overlays > div') ?? [])].map((each) => [
      each.style.top,
      Number(each.querySelector('.line-numbers')?.textContent),
    ]),
  );
  const lines = [...(editor?.querySelectorAll('.view-overlays > div') ?? [])];
  return lines.filter((each) => each.querySelector('.squiggly-warning')).map((each) => numbers.get(each.style.top));
}

const vsix = packaged();
const server = await Server.start({
  dir: home,
  vsix: [vsix],
  settings: { 'lens.interpreter': environmentOf(vsix) },
});
const browser = await launch();
try {
  const workbench = await Workbench.open(browser, server, { folder });
  const { page } = workbench;
  await page.setViewportSize({ width: 1400, height: 1300 });
  await workbench.ready();
  await workbench.openFile(note);
  await page.keyboard.press('Control+\\');
  await page.locator('.editor-group-container').nth(1).waitFor();
  const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  tell('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [what, file] = line.split(' ');
    if (what === 'marked') {
      tell(await page.evaluate(underlined, note));
    } else if (what === 'change') {
      await workbench.openFile(file);
      const editor = workbench.editor(`/${file}`);
      await editor.locator('.view-line').first().click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('-');
      tell(await editor.count());
    } else {
      await page.keyboard.press('Control+Z');
      await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
      tell('back');
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
