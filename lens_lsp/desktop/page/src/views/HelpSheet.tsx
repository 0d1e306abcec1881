import type { JSX } from 'preact';

import { helpIsOpen } from '../state/page';
import { chooseLetters, letters } from '../state/theme';
import { words } from '../words';
import { Dialog } from './Dialog';

/** All keys, and the switch for those that are single letters. */
export function HelpSheet(): JSX.Element {
  const close = () => {
    helpIsOpen.value = false;
  };
  return (
    <Dialog title={words.help.title} close={close} class="help">
      <dl class="keys">
        {words.help.keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              {key.split(/ {2}/).map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={letters.value}
          onChange={({ currentTarget }) => chooseLetters(currentTarget.checked)}
        />
        {words.settings.letters}
      </label>
    </Dialog>
  );
}
