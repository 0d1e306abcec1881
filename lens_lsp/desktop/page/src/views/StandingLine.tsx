import type { JSX } from 'preact';

import { alarm, standing } from '../state/standing';
import { words } from '../words';
import { StandingIcon } from './icons';

/** Where Lens stands: a shape, a word, a sentence, and the one button that helps. */
export function StandingLine(): JSX.Element {
  const { is, says, act } = standing.value;
  return (
    <div class={`standing standing-${is}`}>
      <StandingIcon is={is} />
      <p id="who-answers" role="status">
        <strong>{words.standing.names[is]}</strong> {alarm.value === null && <span>{says}</span>}
      </p>
      {act !== undefined && (
        <button type="button" class="link" onClick={act.do}>
          {act.label}
        </button>
      )}
    </div>
  );
}
