/** A passage with what stands around it, as people are shown it. Knows nothing of the editor. */

/** What a passage says of itself and its surroundings; a server before version 2 of the schemas says the first two. */
export interface InContext {
  readonly span: readonly [number, number];
  readonly quote: string;
  readonly cut?: readonly ('start' | 'end')[];
  readonly context?: readonly {
    readonly role: string;
    readonly span: readonly [number, number];
    readonly text: string;
    readonly cut: readonly ('start' | 'end')[];
  }[];
}

/** A piece of what is shown. `gap`: text is left out before it, and no ellipsis says so. */
export interface Part {
  readonly start: number;
  readonly text: string;
  readonly isQuote: boolean;
  readonly gap: boolean;
}

const LONGEST = 200;
/** Code points between two parts that are nothing but white space. */
const ADJACENT = 4;
const ENDS_AT_QUOTE: ReadonlySet<string> = new Set(['before', 'lead-in']);

/** The quote whole and each part of its context, shortened, in the order of the source. */
export function partsOf({ span, quote, cut = [], context = [] }: InContext): readonly Part[] {
  const pieces = [
    { span, text: withCuts(quote, cut), isQuote: true },
    ...context.map((part) => ({ span: part.span, text: shortened(part), isQuote: false })),
  ].filter(({ text, isQuote }) => isQuote || text !== '');
  pieces.sort((one, other) => one.span[0] - other.span[0]);
  return pieces.map(({ span: [start], text, isQuote }, at) => {
    const before = pieces[at - 1];
    const told = text.startsWith('…') || before?.text.endsWith('…') === true;
    return { start, text, isQuote, gap: before !== undefined && start > before.span[1] + ADJACENT && !told };
  });
}

/** A passage as one text: the quote in quotation marks where something stands around it. */
export function inContext(passage: InContext): string {
  const parts = partsOf(passage);
  const alone = parts.length === 1;
  return parts.map(({ text, isQuote, gap }) => `${gap ? '… ' : ''}${isQuote && !alone ? `“${text}”` : text}`).join(' ');
}

/** Context with room for so much of it that is next to the quote, to a word. */
function shortened({ role, text, cut }: NonNullable<InContext['context']>[number]): string {
  const said = text.trim();
  if (said.length <= LONGEST) {
    return said && withCuts(said, cut);
  }
  if (ENDS_AT_QUOTE.has(role)) {
    const end = said.slice(-LONGEST);
    return withCuts(end.slice(end.search(/\s/) + 1), [...cut, 'start']);
  }
  const beginning = said.slice(0, LONGEST);
  return withCuts(beginning.replace(/\s\S*$/, ''), [...cut, 'end']);
}

function withCuts(text: string, cut: readonly string[]): string {
  const start = cut.includes('start') && !text.startsWith('…') ? `…${text.trimStart()}` : text;
  return cut.includes('end') && !start.endsWith('…') ? `${start.trimEnd()}…` : start;
}
