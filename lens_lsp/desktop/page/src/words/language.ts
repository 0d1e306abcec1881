/** The language of the reader, and how it writes numbers and times. */

/** An editor says its language in the page, a browser by itself; whatever is not translated is English. */
function chosen(): 'en' | 'zh' {
  const said =
    globalThis.acquireVsCodeApi === undefined ? globalThis.navigator?.language : document.documentElement.lang;
  return /^zh\b/i.test(said ?? '') ? 'zh' : 'en';
}

export const language = chosen();
const tag = language === 'zh' ? 'zh-CN' : 'en';

const number = new Intl.NumberFormat(tag);
const money = new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const day = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' });

/** A number as people write it. */
export function counted(count: number): string {
  return number.format(count);
}

/** An amount of money, without its currency. */
export function amount(of: number): string {
  return money.format(of);
}

/** A count with the noun that belongs to it. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** A time of the program's, as people write it. */
export function when(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.valueOf()) ? iso : day.format(date);
}
