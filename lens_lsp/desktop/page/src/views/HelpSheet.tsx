import type { JSX } from 'preact';

import { helpIsOpen } from '../state/page';
import { words } from '../words';
import { Dialog } from './Dialog';
import { LettersChoice } from './LettersChoice';

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
      <LettersChoice />
    </Dialog>
  );
}
