/** The words of an answer out of its file: without its front matter, its heading, its footnotes and the comments around them, marks as `[1]`. */
export function wordsOfFile(text: string): string {
  const body = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
  const labels = [...body.matchAll(/^\[\^([^\]\s]+)\]: /gm)].map(([, label]) => label);
  const lines = body
    .split(/\r?\n/)
    .filter((line) => !/^(?:\[\^[^\]\s]+\]: |<!-- lens:(?:begin|end) .*-->$)/.test(line));
  const from = lines.findIndex((line) => line.startsWith('# '));
  return lines
    .slice(from + 1)
    .join('\n')
    .replace(/\[\^([^\]\s]+)\]/g, (mark, label) => (labels.includes(label) ? `[${labels.indexOf(label) + 1}]` : mark))
    .trim();
}

/** Where the footnotes of an answer file say that their passages stand, by label. */
export function placesOfFile(
  text: string,
): ReadonlyMap<string, { readonly line: number | null; readonly page: number | null }> {
  const notes = text.matchAll(/^\[\^([^\]\s]+)\]: \[.*?\]\([^)\s#]*#(?:L(\d+)|page=(\d+))\)/gm);
  const number = (digits: string | undefined) => (digits === undefined ? null : Number(digits));
  return new Map([...notes].map(([, label = '', line, page]) => [label, { line: number(line), page: number(page) }]));
}
