import type { JSX } from 'preact';

import { answerConsent } from '../state/asking';
import { status } from '../state/page';
import type { Turn } from '../state/turn';
import { words } from '../words';
import { Dialog } from './Dialog';

const SEND = 'Send';

/** Asks before text goes to a model elsewhere, and names where that is. Closing it sends nothing. */
export function ConsentDialog({ turn }: { readonly turn: Turn }): JSX.Element {
  const host = status.value?.judge?.endpoint ?? null;
  const answer = (action: string | null) => () => void answerConsent(turn, action);
  return (
    <Dialog title={words.consent.title(host)} close={answer(null)} class="consent">
      <p class="consent-said">{turn.consent?.message}</p>
      <div class="consent-actions">
        {turn.consent?.actions.map((action) => (
          <button key={action} type="button" class={action === SEND ? '' : 'primary'} onClick={answer(action)}>
            <strong>{action === SEND ? words.consent.send : action}</strong>
            <span>{action === SEND ? words.consent.sendMeans : words.consent.evidenceMeans}</span>
          </button>
        ))}
        <button type="button" class="quiet" onClick={answer(null)}>
          {words.consent.refuse}
        </button>
      </div>
    </Dialog>
  );
}
