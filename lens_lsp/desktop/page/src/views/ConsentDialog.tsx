import type { JSX } from 'preact';

import type { Prompt } from '../protocol';
import { answerConsent, answerPrompt } from '../state/asking';
import { status } from '../state/page';
import type { Turn } from '../state/turn';
import { words } from '../words';
import { Dialog } from './Dialog';

const SEND = 'Send';

interface Props {
  readonly prompt: Prompt;
  /** The question that waits for it, where it is known. */
  readonly turn: Turn | undefined;
}

/**
 * What the user has to say before Lens goes on: whether text goes to a model elsewhere, named here, or whether Lens is set
 * up. It stays until it is answered; closing it sends nothing and sets nothing up.
 */
export function ConsentDialog({ prompt, turn }: Props): JSX.Element {
  const host = status.value?.judge?.endpoint ?? null;
  const setUp = prompt.about === 'set-up';
  const answer = (action: string | null) => () =>
    void (turn?.consent?.id === prompt.id ? answerConsent(turn, action) : answerPrompt(prompt, action));
  return (
    <Dialog title={setUp ? words.consent.setUp : words.consent.title(host)} close={answer(null)} class="consent">
      <p class="consent-said">{prompt.message}</p>
      <div class="consent-actions">
        {prompt.actions.map((action, at) => (
          <button key={action} type="button" class={setUp === (at === 0) ? 'primary' : ''} onClick={answer(action)}>
            <strong>{setUp ? action : action === SEND ? words.consent.send : words.consent.evidence}</strong>
            {!setUp && <span>{action === SEND ? words.consent.sendMeans : words.consent.evidenceMeans}</span>}
          </button>
        ))}
        <button type="button" class="quiet" onClick={answer(null)}>
          {setUp ? words.consent.notNow : words.consent.refuse}
        </button>
      </div>
    </Dialog>
  );
}
