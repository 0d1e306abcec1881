/** The last answers as they came, as long as this window is open: the program keeps less of them than it told. */
import type { Turn } from './turn';

const NAME = 'lens.recent';
const MOST = 12;
/** Letters of all of them together. */
const LONGEST = 1_500_000;

function recent(): readonly Turn[] {
  return JSON.parse(globalThis.sessionStorage?.getItem(NAME) ?? '[]') as Turn[];
}

/** Notes an answer that has just come. */
export function noteAnswer(turn: Turn | undefined): void {
  if (turn?.state !== 'done' || turn.result === null || turn.answerUri === null) {
    return;
  }
  const { question, answerUri } = turn;
  const others = recent().filter((each) => each.question !== question || each.answerUri !== answerUri);
  let noted = [...others, turn].slice(-MOST).map((each) => JSON.stringify(each));
  while (noted.join().length > LONGEST) {
    noted = noted.slice(1);
  }
  globalThis.sessionStorage?.setItem(NAME, `[${noted.join()}]`);
}

/** A question of a thread with all that was told of its answer, where that is the last one to it. */
export function asItCame(turn: Turn): Turn {
  const known = recent().find(
    ({ question, answerUri, answer }) =>
      question === turn.question && answerUri === turn.answerUri && letters(answer) === letters(turn.answer),
  );
  if (known === undefined) {
    return turn;
  }
  const { ask, ...told } = known;
  return { ...told, key: turn.key, asked: turn.asked, inThread: true };
}

/** Forgets all of them: nothing that was deleted stays. */
export function forgetRecent(): void {
  globalThis.sessionStorage?.removeItem(NAME);
}

/** What of an answer stays the same however it is kept. */
function letters(answer: string): string {
  return answer.replace(/[^\p{L}]+/gu, '');
}
