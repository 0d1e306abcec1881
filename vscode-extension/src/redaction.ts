/** What a trace of the protocol may show: its shape, and none of the words in it. */

/** Values that say what kind of thing something is, not what it says. */
const TELLING = new Set([
  'schema',
  'type',
  'status',
  'state',
  'stopped',
  'mode',
  'kind',
  'intent',
  'stage',
  'method',
  'section',
  'token',
  'workDoneToken',
  'jsonrpc',
  'languageId',
  'positionEncoding',
]);

/** A message of a trace in which every text in its JSON, keys of its objects aside, is the number of its characters. */
export function redacted(message: string): string {
  const end = message.indexOf('\n');
  const body = message.slice(end + 1);
  const json = body.search(/[[{"]/);
  if (end < 0 || json < 0) {
    return message;
  }
  try {
    const value: unknown = JSON.parse(body.slice(json));
    return `${message.slice(0, end + 1)}${body.slice(0, json)}${JSON.stringify(bare(value), undefined, 2)}`;
  } catch {
    return `${message.slice(0, end)}\n<${body.length} characters>`;
  }
}

function bare(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    return TELLING.has(key) ? value : `<${value.length} characters>`;
  }
  if (Array.isArray(value)) {
    return value.map((each) => bare(each));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bare(each, name)]));
  }
  return value;
}
