import { tell } from '../state/page';
import type { Turn } from '../state/turn';
import { withCitations } from '../text/copying';
import { words } from '../words';

/** Copies an answer with its citations, and says so. */
export async function copyAnswer(turn: Turn | undefined): Promise<void> {
  if (turn === undefined) {
    return;
  }
  try {
    await navigator.clipboard.writeText(withCitations(turn));
    tell(words.turn.copied);
  } catch {
    tell(words.turn.copyFailed, { bad: true });
  }
}
