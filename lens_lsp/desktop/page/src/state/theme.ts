/** Light or dark, and whether single letters are shortcuts: what this browser remembers of the page. */
import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const THEME = 'lens.theme';
const LETTERS = 'lens.letters';

function keptTheme(): Theme {
  const kept = localStorage.getItem(THEME);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export const theme = signal<Theme>(keptTheme());
export const letters = signal(localStorage.getItem(LETTERS) !== 'off');

/** Shows the page as it was chosen. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(THEME, chosen);
  applyTheme();
}

export function chooseLetters(on: boolean): void {
  letters.value = on;
  localStorage.setItem(LETTERS, on ? 'on' : 'off');
}
