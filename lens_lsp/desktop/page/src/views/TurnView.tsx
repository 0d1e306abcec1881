/** One question: what it needs, its answer, its passages, and what it cost. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

import { withAnswer } from '../api';
import { again } from '../state/asking';
import { callTurnWrong, recheck } from '../state/knowing';
import { prompts, tellFailure } from '../state/page';
import { standing } from '../state/standing';
import { type Need, needsItself, provesAnything, standingOf, type Turn } from '../state/turn';
import { editor } from '../surface';
import { words } from '../words';
import { Account } from './Account';
import { AnswerText } from './AnswerText';
import { copyAnswer, exportAnswer } from './copy';
import { ConfirmDialog } from './Dialog';
import { Icon, StateShape } from './icons';
import { PassageCard } from './PassageCard';

export function TurnView({ turn, first }: { readonly turn: Turn; readonly first: boolean }): JSX.Element {
  const Heading = first ? 'h1' : 'h2';
  const asking = turn.state === 'asking';
  const understood = turn.result !== null && turn.result.typed !== null ? turn.result.question : null;
  return (
    <article class={`turn turn-${turn.state}`} aria-label={words.turn.label(turn.question)} aria-busy={asking}>
      <Heading class="question" tabIndex={-1}>
        {turn.question}
      </Heading>
      {understood !== null && <p class="hint">{words.turn.understood(understood)}</p>}
      {turn.without !== null && <p class="hint">{words.turn.without(turn.without)}</p>}
      {asking && <Progress turn={turn} />}
      <Needs turn={turn} />
      <Ending turn={turn} />
      {turn.calledWrong && <p class="ending bad">{words.turn.calledWrong}</p>}
      {turn.answer !== '' && <AnswerText turn={turn} />}
      {!asking && turn.answer !== '' && <Actions turn={turn} />}
      <Passages turn={turn} />
      {!asking && <Account turn={turn} />}
    </article>
  );
}

function Progress({ turn }: { readonly turn: Turn }): JSX.Element {
  const said = [
    turn.found > 0 ? words.turn.searching(turn.scanned, turn.found) : waitsFor(),
    turn.round > 0 && words.turn.round(turn.round),
  ];
  return (
    <div class="progress">
      <span class="pulse" aria-hidden="true" />
      <span>{said.filter(Boolean).join(' · ')}</span>
      {turn.percentage !== null && <progress max={100} value={turn.percentage} aria-label={words.live.searching} />}
    </div>
  );
}

/** What a question of which nothing was read yet waits for. */
function waitsFor(): string {
  if (prompts.value.length > 0) {
    return words.standing.asked;
  }
  return standing.value.is === 'settingUp' ? words.turn.settingUp : words.turn.waiting;
}

function Needs({ turn }: { readonly turn: Turn }): JSX.Element | null {
  if (turn.needs.length === 0) {
    return null;
  }
  const alone = needsItself(turn);
  return (
    <section class={alone ? 'needs alone' : 'needs'} aria-label={words.turn.needs}>
      {!alone && <h3>{words.turn.needs}</h3>}
      <ul>
        {turn.needs.map((need) => (
          <NeedRow key={need.id} need={need} standing={standingOf(need, turn.passages)} named={!alone} />
        ))}
      </ul>
    </section>
  );
}

interface NeedProps {
  readonly need: Need;
  readonly standing: ReturnType<typeof standingOf>;
  /** Says in words what is needed, too. */
  readonly named: boolean;
}

function NeedRow({ need, standing, named }: NeedProps): JSX.Element {
  const sure = need.confidence === null || standing === 'gone' ? undefined : words.turn.confidence(need.confidence);
  return (
    <li class={`need need-${standing}`}>
      <StateShape state={standing} />
      {named && <span class="need-text">{need.text}</span>}
      <span class="need-status" title={sure}>
        {words.turn.needStatus[standing]}
      </span>
    </li>
  );
}

function Ending({ turn }: { readonly turn: Turn }): JSX.Element | null {
  const said = endingOf(turn);
  if (said === null) {
    return null;
  }
  const bad = turn.state === 'failed';
  return (
    <div class={bad ? 'ending bad' : 'ending'}>
      <p>{said}</p>
      {(turn.answer === '' || turn.state !== 'done') && (
        <button type="button" class="quiet" onClick={() => void again(turn)}>
          {words.ask.again}
        </button>
      )}
    </div>
  );
}

function endingOf(turn: Turn): string | null {
  switch (turn.state) {
    case 'asking':
      return null;
    case 'failed':
      return words.turn.failed(turn.failure ?? '');
    case 'cancelled':
      return turn.failure === null ? (words.turn.stops.cancelled ?? '') : words.turn.declined;
    case 'done':
      if (turn.answer === '') {
        return turn.status === null ? words.turn.notKept : words.turn.none;
      }
      return turn.stopped === null || turn.status === 'answered' ? null : (words.turn.stops[turn.stopped] ?? null);
  }
}

function Actions({ turn }: { readonly turn: Turn }): JSX.Element {
  const exporting = editor !== undefined && turn.answerUri !== null ? words.turn.exportInEditor : words.turn.export;
  const doubted = useSignal(false);
  return (
    <div class="actions">
      <button type="button" class="quiet" data-tip={words.turn.copy} onClick={() => void copyAnswer(turn)}>
        <Icon name="copy" />
        <span>{words.turn.copy}</span>
      </button>
      <button type="button" class="quiet" data-tip={exporting} onClick={() => void exportAnswer(turn)}>
        <Icon name="export" />
        <span>{exporting}</span>
      </button>
      {editor !== undefined && turn.answerUri !== null && (
        <>
          <InEditor act="insert" icon="insert" uri={turn.answerUri} />
          <InEditor act="open" icon="document" uri={turn.answerUri} />
        </>
      )}
      {turn.passages.length > 0 && (
        <button type="button" class="quiet" data-tip={words.turn.recheck} onClick={() => void recheck([turn])}>
          <Icon name="check" />
          <span>{words.turn.recheck}</span>
        </button>
      )}
      {turn.state === 'done' && (
        <button type="button" class="quiet" data-tip={words.ask.again} onClick={() => void again(turn)}>
          <Icon name="again" />
          <span>{words.ask.again}</span>
        </button>
      )}
      {turn.status !== 'unanswered' && turn.answerUri !== null && (
        <button
          type="button"
          class="quiet"
          data-tip={words.map.wrong}
          onClick={() => {
            doubted.value = true;
          }}
        >
          <Icon name="wrong" />
          <span>{words.map.wrong}</span>
        </button>
      )}
      {doubted.value && (
        <WrongDialog
          turn={turn}
          close={() => {
            doubted.value = false;
          }}
        />
      )}
    </div>
  );
}

/** Asks before an answer is withdrawn; its question is asked again at once. Says so where nothing can be withdrawn. */
function WrongDialog({ turn, close }: { readonly turn: Turn; readonly close: () => void }): JSX.Element {
  const proven = provesAnything(turn);
  const act = () => {
    close();
    (proven ? callTurnWrong(turn) : Promise.resolve()).then(() => again(turn)).catch(tellFailure);
  };
  const label = proven ? words.turn.wrongDo : words.ask.again;
  return (
    <ConfirmDialog title={words.map.wrongTitle} label={label} act={act} harmless={!proven} close={close}>
      <p>{proven ? words.turn.wrongMeans : words.turn.nothingProven}</p>
      {proven && <p>{words.turn.wrongHint}</p>}
    </ConfirmDialog>
  );
}

interface InEditorProps {
  readonly act: 'insert' | 'open';
  readonly icon: 'insert' | 'document';
  readonly uri: string;
}

/** What the editor does with the file of an answer. */
function InEditor({ act, icon, uri }: InEditorProps): JSX.Element {
  return (
    <button
      type="button"
      class="quiet"
      data-tip={words.turn[act]}
      onClick={() => void withAnswer(act, uri).catch(tellFailure)}
    >
      <Icon name={icon} />
      <span>{words.turn[act]}</span>
    </button>
  );
}

function Passages({ turn }: { readonly turn: Turn }): JSX.Element | null {
  const { passages } = turn;
  if (passages.length === 0) {
    return null;
  }
  const cited = passages.some((passage) => passage.cited);
  const title = cited ? words.turn.evidence : words.turn.soFar;
  return (
    <section class="passages" aria-label={title}>
      <h3>{title}</h3>
      <ol>
        {passages.map((passage) => (
          <PassageCard key={`${passage.path} ${passage.span.join()}`} turn={turn.key} passage={passage} />
        ))}
      </ol>
    </section>
  );
}
