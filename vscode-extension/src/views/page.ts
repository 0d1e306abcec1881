/** What the page of the view is made of: addresses of this machine. */
export interface ViewPage {
  /** Random, for this page only. */
  readonly nonce: string;
  /** Where its own files come from, as the editor names that for a content security policy. */
  readonly source: string;
  readonly script: string;
  readonly styles: readonly string[];
  readonly language: string;
}

/** The page of `lens desktop`, in the colours of the editor: its own script and styles, and nothing that anybody else brings. */
export function viewPage({ nonce, source, script, styles, language }: ViewPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="referrer" content="no-referrer">
<title>Lens</title>
${styles.map((style) => `<link rel="stylesheet" href="${escaped(style)}">`).join('\n')}
<script nonce="${nonce}" src="${escaped(script)}" defer></script>
</head>
<body></body>
</html>`;
}

/** A text as it may stand in HTML, attributes included. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
