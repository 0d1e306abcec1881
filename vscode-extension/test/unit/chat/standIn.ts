/** As much of the editor as chat needs, in its own words, where no editor is. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const SOURCE = `
class Uri {
  static parse(text) { const [, scheme, path] = /^([\\w-]+):(?:\\/\\/)?(.*)$/.exec(text); return new Uri(scheme, path); }
  static joinPath(base, ...parts) { return new Uri(base.scheme, [base.path, ...parts].join('/')); }
  constructor(scheme, path) { this.scheme = scheme; this.path = path; }
  with(change) { return new Uri(change.scheme ?? this.scheme, change.path ?? this.path); }
  toString() { return this.scheme + '://' + this.path; }
}
class Range { constructor(...places) { this.places = places; } }
class Location { constructor(uri, range) { this.uri = uri; this.range = range; } }
class Disposable { static from() { return new Disposable(() => {}); } constructor(dispose) { this.dispose = dispose; } }
class CancellationError extends Error {}
class MarkdownString { constructor(value) { this.value = value; } }
class LanguageModelTextPart { constructor(value) { this.value = value; } }
class LanguageModelToolResult { constructor(content) { this.content = content; } }
class ChatResponseTurn { constructor(result) { this.result = result; } }
module.exports = {
  Uri, Range, Location, Disposable, CancellationError, MarkdownString, LanguageModelTextPart, LanguageModelToolResult,
  ChatResponseTurn,
  env: { language: 'en' },
  l10n: { t: (text, ...values) => text.replace(/\\{(\\d)\\}/g, (_, at) => values[at]) },
  workspace: {
    isTrusted: true,
    asRelativePath: (uri) => uri.path.replace('/notes/', ''),
    getWorkspaceFolder: (uri) => (uri.path.startsWith('/notes/') ? {} : undefined),
  },
};
`;

/** Whatever of the editor stands in: it can be added to and taken from. */
export type StandIn = Record<string, unknown> & {
  readonly workspace: { isTrusted: boolean };
  readonly Uri: { parse(text: string): unknown };
  readonly ChatResponseTurn: new (result: unknown) => unknown;
};

/** Lets what is loaded from now on find the stand-in as \`vscode\`. */
export function standIn(): StandIn {
  const folder = path.join(__dirname, 'node_modules', 'vscode');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'index.js'), SOURCE);
  return createRequire(__filename)('vscode') as StandIn;
}
