import { escaped } from '../views/page';
import type { ViewerPlaces, ViewerWords } from './messages';

/** What the page of the viewer is made of. */
export interface ViewerPage {
  /** Random, for this page only. */
  readonly nonce: string;
  /** Where its own files come from, as the editor names that for a content security policy. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  readonly places: ViewerPlaces;
  readonly words: ViewerWords;
  readonly language: string;
}

/**
 * The viewer: its own script, and nothing that a document or anybody else brings. `wasm-unsafe-eval` allows the image
 * decoders of pdf.js, which are files of ours, and no evaluation of text; the worker is one of ours as a blob, since the
 * editor's webviews can start no other.
 */
export function viewerPage({ nonce, source, script, style, places, words, language }: ViewerPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'wasm-unsafe-eval'`,
    `style-src ${source}`,
    'worker-src blob:',
    `connect-src ${source}`,
    `font-src ${source}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const button = (id: string, sign: string, label: string) =>
    `<button type="button" id="${id}" title="${escaped(label)}" aria-label="${escaped(label)}">${sign}</button>`;
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="referrer" content="no-referrer">
<link rel="stylesheet" href="${escaped(style)}">
</head>
<body data-words="${escaped(JSON.stringify(words))}" data-places="${escaped(JSON.stringify(places))}">
<div id="bar" role="toolbar" aria-label="${escaped(words.toolbar)}">
${button('previous', '‹', words.previous)}
<span id="page" role="status"></span>
${button('next', '›', words.next)}
${button('smaller', '−', words.smaller)}
${button('larger', '+', words.larger)}
<span id="told" role="status"></span>
</div>
<main id="pages" tabindex="0" aria-label="${escaped(words.pages)}"></main>
<script nonce="${nonce}" src="${escaped(script)}"></script>
</body>
</html>`;
}
