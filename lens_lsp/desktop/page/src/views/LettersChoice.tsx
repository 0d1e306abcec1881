import type { JSX } from 'preact';

import { chooseLetters, letters } from '../state/theme';
import { words } from '../words';

/** The switch for the keys that are single letters. */
export function LettersChoice(): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={letters.value}
        onChange={({ currentTarget }) => chooseLetters(currentTarget.checked)}
      />
      {words.settings.letters}
    </label>
  );
}
