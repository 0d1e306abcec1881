/** The words of an answer out of its file: without its front matter, its heading and its footnotes, `[^1]` as `[1]`. */
export function wordsOfFile(text: string): string {
  const body = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
  const lines = body.split(/\r?\n/).filter((line) => !/^\[\^\d+\]: /.test(line));
  const from = lines.findIndex((line) => line.startsWith('# '));
  return lines
    .slice(from + 1)
    .join('\n')
    .replace(/\[\^(\d+)\]/g, '[$1]')
    .trim();
}
