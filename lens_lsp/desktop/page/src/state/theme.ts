/** Light or dark, and whether single letters are shortcuts: what this browser remembers of the page. */
import { signal } from '@preact/signals';

import { recall, remember } from '../surface';

export type Theme = 'system' | 'light' | 'dark';

const THEME = 'theme';
const LETTERS = 'letters';

function keptTheme(): Theme {
  const kept = recall(THEME);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export const theme = signal<Theme>(keptTheme());
export const letters = signal(recall(LETTERS) !== 'off');

/** Shows the page as it was chosen. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  remember(THEME, chosen);
  applyTheme();
}

export function chooseLetters(on: boolean): void {
  letters.value = on;
  remember(LETTERS, on ? 'on' : 'off');
}
