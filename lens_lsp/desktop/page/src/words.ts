/** Every sentence of the page, in the language of the reader. */

import { english } from './words/en';
import { language } from './words/language';
import { chinese } from './words/zh';

export { counted, plural, when } from './words/language';

/** What every translation has to say. */
export type Words = typeof english;

export const words: Words = language === 'zh' ? chinese : english;
