/** The language of the reader, and how it writes numbers and times. */

import { editor, recall, remember } from '../surface';

/** The languages that the page speaks, each by its own name. */
export const LANGUAGES = { en: 'English', zh: '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;

const CHOSEN = 'language';

/** What the user chose; in an editor there is nothing to choose. */
export function chosenLanguage(): Language | 'browser' {
  const kept = editor === undefined ? recall(CHOSEN) : null;
  return kept === 'en' || kept === 'zh' ? kept : 'browser';
}

/** Shows the page anew in a language. */
export function chooseLanguage(chosen: Language | 'browser'): void {
  remember(CHOSEN, chosen);
  location.reload();
}

/** An editor says its language in the page, a browser by itself; whatever is not translated is English. */
function spoken(): Language {
  const kept = chosenLanguage();
  if (kept !== 'browser') {
    return kept;
  }
  const said = editor === undefined ? globalThis.navigator?.language : document.documentElement.lang;
  return /^zh\b/i.test(said ?? '') ? 'zh' : 'en';
}

export const language = spoken();
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
