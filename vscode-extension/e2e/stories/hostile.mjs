/** A hostile folder, trusted by mistake: it chooses neither endpoint nor program, and nothing it says acts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { ACTIVE, Canary, hostileMarkdown, hostileWorkspace } from '../canary.mjs';
import { Endpoint } from '../endpoint.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

const SENTENCE = 'The keel of the Arlen ferry was laid on 4 May 1931';
const QUESTION = 'When was the keel of the Arlen ferry laid?';
/** What only a link of theirs says, with or without backslashes. */
const STRANGE = /127\\?\.|https?\\?:|(command|javascript|vscode)\\?:/i;

/** What acts in a place. */
async function active(place) {
  await place.first().waitFor();
  return place.locator(ACTIVE).evaluateAll((elements) => elements.map((each) => each.outerHTML.slice(0, 200)));
}

/** Fails when something in a place acts. */
async function inert(place, what) {
  assert.deepEqual(await active(place), [], `${what} holds active elements`);
}

/** The Markdown preview that is shown, once it says something. */
function preview(page, text) {
  const frame = page
    .frameLocator('iframe.webview.ready[src*="extensionId=vscode.markdown-language-features"]')
    .frameLocator('#active-frame');
  return frame.locator('.markdown-body').filter({ hasText: text });
}

/** The links that a text editor offers. */
async function links(editor) {
  await editor.locator('.detected-link').first().waitFor();
  return editor.locator('.detected-link').allInnerTexts();
}

export async function story(story) {
  const folder = path.join(story.dir, 'workspace');
  const mark = path.join(story.dir, 'mark.txt');
  const canary = await Canary.start();
  story.finally(() => canary.stop());
  const workspace = hostileWorkspace(folder, canary.origin, SENTENCE, mark);
  const silent = (when) => {
    assert.equal(canary.connections, 0, `${when}: the endpoint of the workspace was reached`);
    assert.equal(
      fs.existsSync(mark) ? fs.readFileSync(mark, 'utf8') : '',
      '',
      `${when}: a program of the workspace was run`,
    );
  };

  const bare = await story.server({ name: 'bare', vsix: [packaged()] });
  const first = await story.window(bare, { workspace });
  await story.step('Without a server of the user none of the workspace is run', async () => {
    await first.ready();
    await first.ask(QUESTION);
    await first.view.getByRole('dialog').getByText('search program').waitFor();
    silent('while no server was set up');
  });

  const words = `It was laid on 4 May 1931 [1]. ${hostileMarkdown(canary.origin)}`;
  const endpoint = await Endpoint.start({
    quote: SENTENCE,
    value: '4 May 1931',
    answer: words,
  });
  story.finally(() => endpoint.stop());
  const settings = { 'lens.interpreter': environmentOf(packaged()) };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });

  await story.step('The rules answer from a hostile note', async () => {
    await workbench.ready();
    await workbench.read(QUESTION);
    await workbench.line(workbench.answer, SENTENCE).waitFor();
    silent('while the rules answered');
  });
  await reads(story, workbench, 'note');

  await story.step('While hostile words of a model come in, nothing in them acts', async () => {
    await workbench.set({ ...settings, 'lens.model.baseUrl': endpoint.baseUrl, 'lens.model.name': 'story' });
    await workbench.statusItem(endpoint.host).waitFor();
    endpoint.hold(Infinity);
    await workbench.ask('On which day was the keel of the ferry of Arlen laid?');
    const turn = workbench.view.locator('article').last();
    await turn.getByText('entity.png').waitFor();
    await inert(turn, 'the answer that comes in');
  });

  await story.step('A model has answered with hostile words', async () => {
    endpoint.release();
    await workbench.open();
    await workbench.line(workbench.answer, 'It was laid on 4 May 1931').waitFor();
    assert.ok(endpoint.stages.includes('read'));
  });
  await reads(story, workbench, 'model');

  silent('at the end');
  assert.deepEqual(workbench.strangers, [], 'the window asked another host for something');
  await story.step('The note itself, rendered by the editor, does act', async () => {
    await workbench.openFile('notes.md');
    await workbench.command('Markdown: Open Preview');
    assert.notDeepEqual(await active(preview(workbench.page, SENTENCE)), []);
  });
  await alive(canary, folder, mark);
}

/** The answer that is shown, its preview, a hover of it, and the views: nothing in them acts. */
async function reads(story, workbench, whose) {
  const { page, answer } = workbench;
  await story.step(`The answer offers its own citations only (${whose})`, async () => {
    const strange = (await links(answer)).filter((text) => STRANGE.test(text));
    assert.deepEqual(strange, [], `links of the ${whose}`);
  });

  await story.step(`A hover of it does nothing (${whose})`, async () => {
    await inert(await workbench.hover(await workbench.citation(1), SENTENCE), 'the hover');
  });

  await story.step(`The views do nothing (${whose})`, async () => {
    await workbench.command('Lens: Show Evidence');
    await inert(workbench.sideBar('Lens: evidence').locator('.pane-body'), 'the References view');
    await workbench.command('View: Show Lens');
    const view = workbench.view.locator('.frame');
    await inert(view.locator('article').last(), 'the Lens view');
    await view.locator('.cite').first().hover();
    await inert(workbench.view.locator('.popover'), 'the hover of the view');
  });

  await story.step(`Rendered as Markdown it does nothing (${whose})`, async () => {
    await answer.locator('.view-line').first().click();
    await workbench.command('Markdown: Open Preview');
    await inert(preview(page, SENTENCE), 'the preview');
    await workbench.command('View: Close Editor');
  });
}

/** That the traps would have told: one is run, and the endpoint is reached. */
async function alive(canary, folder, mark) {
  execFileSync(path.join(folder, 'bin/lens'));
  assert.match(fs.readFileSync(mark, 'utf8'), /bin\/lens/);
  const before = canary.connections;
  await fetch(canary.origin);
  assert.ok(canary.connections > before);
}
