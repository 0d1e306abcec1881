/** Our viewer of PDFs as it is seen in a window of the workbench. */
import assert from 'node:assert/strict';

import { OURS } from './workbench.mjs';

/** Compared as the viewer compares, on its own: letters and digits, ligatures taken apart. */
export function letters(text) {
  return text.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
}

/** The page of the viewer that is shown, inside of its two frames. */
export async function viewerOf(workbench) {
  const outer = workbench.page.locator(`${OURS}:right-of(.part.sidebar)`).last();
  await outer.waitFor();
  return outer.contentFrame().locator('iframe#active-frame').contentFrame();
}

/** Waits until a page is said to be read, and gives the words that are highlighted on it. */
export async function highlighted(viewer, page, pages) {
  await viewer.locator('#page', { hasText: `${page} / ${pages}` }).waitFor();
  const marks = viewer.locator(`.sheet[data-page="${page}"] mark`);
  await marks.first().waitFor();
  assert.equal(await viewer.locator('mark').count(), await marks.count(), 'words of another page are highlighted');
  return (await marks.allTextContents()).join('');
}
