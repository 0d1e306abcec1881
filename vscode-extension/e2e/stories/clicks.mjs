/** How many clicks and keys it takes: from a question to its proof, and from a source that changed to a mended citation. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { docs, PROOF, proofIn, QUESTION, SOURCE } from '../corpus.mjs';
import { environmentOf, packaged } from '../packaged.mjs';

const ANSWERS = 'answers-of-lens';
const BEFORE = '# The enquiry desk';
const INSERTED = 3;

/** A person's hand: what it does between `begins` and the end of a step is counted. */
class Hand {
  constructor(page) {
    this.page = page;
    this.begins();
  }

  begins() {
    this.clicks = 0;
    this.keys = 0;
  }

  click(place) {
    this.clicks += 1;
    return place.click();
  }

  press(key) {
    this.keys += 1;
    return this.page.keyboard.press(key);
  }

  /** What it did, and that it was this. */
  did(clicks, keys) {
    assert.deepEqual([this.clicks, this.keys], [clicks, keys]);
    return `${clicks} click, ${keys} key(s)`;
  }
}

export async function story(story) {
  const folder = docs(path.join(story.dir, 'docs'));
  const proof = proofIn(folder);
  const settings = { 'lens.interpreter': environmentOf(packaged()), 'lens.answersFolder': ANSWERS };
  const server = await story.server({ vsix: [packaged()], settings });
  const workbench = await story.window(server, { folder });
  const { page, view } = workbench;
  const hand = new Hand(page);
  const selected = `Ln ${proof.line}, Col ${proof.column + proof.length} (${proof.length} selected)`;

  await story.step('From a question to the words that prove it: one click', async () => {
    await workbench.ready();
    await workbench.command('Lens: Ask a Question…');
    await view.locator('#question').fill(QUESTION); // typed by whoever asks, anywhere
    hand.begins();
    await hand.press('Enter');
    await hand.click((await workbench.turn()).locator('.cite').first());
    assert.equal(await workbench.place(selected), selected);
    story.measure('question to highlighted proof', hand.did(1, 1));
  });

  await story.step('With keys alone: F4', async () => {
    await workbench.command('View: Close All Editors');
    await view.locator('#question').click();
    hand.begins();
    await hand.press('F4');
    assert.equal(await workbench.place(selected), selected);
    hand.did(0, 1);
  });

  await story.step('From a quote that moved to a mended citation: one click, two keys', async () => {
    await workbench.command('View: Close All Editors');
    await (await workbench.turn()).getByRole('button', { name: 'Open as document' }).click();
    const kept = page.locator(`.monaco-editor[data-uri^="vscode-remote:"][data-uri*="/${ANSWERS}/"]`);
    const [name] = fs.readdirSync(path.join(folder, ANSWERS)).filter((each) => each.endsWith('.md'));
    const says = (line) => fs.readFileSync(path.join(folder, ANSWERS, name), 'utf8').includes(`${SOURCE}:${line}`);
    await workbench.folded(kept).waitFor();
    assert.ok(says(proof.line));
    const source = path.join(folder, SOURCE);
    const text = fs.readFileSync(source, 'utf8');
    fs.writeFileSync(source, text.replace(BEFORE, `${BEFORE}${'\n'.repeat(INSERTED)}`));
    await kept.locator('.squiggly-info, .squiggly-warning').first().waitFor();
    await view.locator('.state-moved').first().waitFor();
    hand.begins();
    await hand.click(workbench.line(kept, `> ${PROOF.slice(0, 20)}`));
    await kept.locator('.codicon-light-bulb, .codicon-gutter-lightbulb, .lightBulbWidget').first().waitFor();
    await hand.press('Control+.');
    await page.locator('.action-widget').getByText('where it stands now').first().waitFor();
    await hand.press('Enter');
    await workbench.line(kept, `${path.basename(SOURCE)}:${proof.line + INSERTED}`).waitFor();
    story.measure('drift to mended citation', hand.did(1, 2));
    assert.ok(fs.readFileSync(source, 'utf8').includes(PROOF));
  });

  await story.step('From a quote that is gone to a new answer: one click', async () => {
    const kept = page.locator(`.monaco-editor[data-uri^="vscode-remote:"][data-uri*="/${ANSWERS}/"]`);
    await workbench.save();
    const source = path.join(folder, SOURCE);
    fs.writeFileSync(source, fs.readFileSync(source, 'utf8').replace(PROOF, PROOF.replace('sixty-four', 'sixty')));
    await kept.locator('.squiggly-warning').first().waitFor();
    await view.locator('.state-withdrawn').first().waitFor();
    hand.begins();
    await hand.click(kept.locator('.codelens-decoration a', { hasText: 'Ask again' }));
    await (await workbench.turn()).locator('.card', { hasText: 'sixty wait' }).first().waitFor();
    story.measure('withdrawn citation to a new answer', hand.did(1, 0));
  });
}
