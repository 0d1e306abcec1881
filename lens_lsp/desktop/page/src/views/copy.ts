import { toClipboard, withAnswer } from '../api';
import { tell, tellFailure } from '../state/page';
import type { Turn } from '../state/turn';
import { editor } from '../surface';
import { asPlainText, withCitations } from '../text/copying';
import { words } from '../words';

/** Copies an answer with its citations as plain text, and says so. */
export async function copyAnswer(turn: Turn | undefined): Promise<void> {
  if (turn === undefined) {
    return;
  }
  try {
    await toClipboard(asPlainText(turn));
    tell(words.turn.copied);
  } catch {
    tell(words.turn.copyFailed, { bad: true });
  }
}

const LONGEST_NAME = 60;

/** Saves an answer with its citations as a file of Markdown: where the user says in an editor, else as a download. */
export async function exportAnswer(turn: Turn): Promise<void> {
  if (editor !== undefined && turn.answerUri !== null) {
    await withAnswer('export', turn.answerUri).catch(tellFailure);
    return;
  }
  const name =
    turn.question
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
      .trim()
      .slice(0, LONGEST_NAME)
      .trim() || 'answer';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([withCitations(turn)], { type: 'text/markdown' }));
  link.download = `${name}.md`;
  link.click();
  URL.revokeObjectURL(link.href);
  tell(words.turn.exported(link.download));
}
