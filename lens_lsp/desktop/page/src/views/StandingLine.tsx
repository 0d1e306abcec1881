import type { JSX } from 'preact';

import { alarm, standing } from '../state/standing';
import { StandingIcon } from './icons';

/** Where Lens stands: a shape, a word, a sentence, and the buttons that help. */
export function StandingLine(): JSX.Element {
  const { is, name, says, also, acts } = standing.value;
  return (
    <div class={`standing standing-${is}`}>
      <StandingIcon is={is} />
      <p id="who-answers" role="status">
        <strong>{name}</strong> {alarm.value === null && <span class="says">{says}</span>}
        {also !== null && ` ${also}`}
      </p>
      {acts.map((act) => (
        <button key={act.label} type="button" class="link" onClick={act.do}>
          {act.label}
        </button>
      ))}
    </div>
  );
}
