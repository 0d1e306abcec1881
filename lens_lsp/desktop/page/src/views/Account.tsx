/** What was looked at for a question, what it cost, and what left the machine for it. */
import type { JSX } from 'preact';
import type { AnswerResult, Ledger, SentPlace } from '../protocol';
import { ledger as ledgerOfAll } from '../state/knowing';
import { folders } from '../state/page';
import { open } from '../state/source';
import type { Turn } from '../state/turn';
import { MEANT, notRead, placed } from '../text/leftOut';
import { lateIn } from '../text/remarks';
import { words } from '../words';

const MOST_NAMED = 20;

/** What was spent, in words: calls, tokens, money, time. */
export function spent({ calls, tokens, cost, seconds }: Pick<Ledger, 'calls' | 'tokens' | 'cost' | 'seconds'>): string {
  const total = calls.total ?? 0;
  return [
    total > 0 && words.turn.calls(total),
    total > 0 && words.turn.tokens(tokens.in + tokens.out),
    cost !== null && total > 0 && words.turn.cost(cost),
    words.turn.seconds(seconds),
  ]
    .filter(Boolean)
    .join(' · ');
}

export function Account({ turn: { ledger, result } }: { readonly turn: Turn }): JSX.Element | null {
  if (ledger === null || result === null) {
    return null;
  }
  const sent = ledger.endpoint === null || ledger.sent.length === 0 ? null : ledger;
  return (
    <footer class="account">
      <p>
        <span class={sent === null ? 'kept-here' : 'went-out'}>
          {sent === null ? words.turn.nothingSent : words.turn.sentTo(sent.sent.length, sent.endpoint ?? '')}
        </span>
        <span>{spent(ledger)}</span>
        {result.reused.length > 0 && <span>{words.turn.reused}</span>}
      </p>
      <NotRead result={result} />
      <details onToggle={reveal}>
        <summary>{words.turn.details}</summary>
        <Details result={result} />
        {sent !== null && (
          <>
            <h4>{words.turn.showSent}</h4>
            <SentPlaces places={placesOf(result)} />
          </>
        )}
      </details>
    </footer>
  );
}

/** Moves what was opened out from behind the question box. */
function reveal({ currentTarget: opened }: { readonly currentTarget: HTMLDetailsElement }): void {
  if (opened.open) {
    const dock = document.querySelector<HTMLElement>('.dock');
    opened.style.scrollMarginBottom = `${dock?.offsetHeight ?? 0}px`;
    opened.scrollIntoView({ block: 'nearest' });
  }
}

/** The books of the program name the files of what was sent; the answer alone names them by number. */
function placesOf(result: AnswerResult): readonly SentPlace[] {
  const booked = ledgerOfAll.value?.questions.find(({ answerUri }) => answerUri === result.answerUri);
  return booked?.ledger.sent ?? [];
}

/** How many files could not be read; opened, which and why. */
function NotRead({ result: { coverage, roots } }: { readonly result: AnswerResult }): JSX.Element | null {
  const files = notRead(coverage, roots, folders.value);
  const rest = files.length - MOST_NAMED;
  return files.length === 0 ? null : (
    <details class="not-read" onToggle={reveal}>
      <summary>{words.turn.filesNotRead(files.length)}</summary>
      <ul>
        {files.slice(0, MOST_NAMED).map(({ place, reason }) => (
          <li key={`${place} ${reason}`}>
            <span class="path">{place}</span> <span>{words.turn.why(reason)}</span>
          </li>
        ))}
        {rest > 0 && <li>{words.turn.more(rest)}</li>}
      </ul>
    </details>
  );
}

function Details({ result }: { readonly result: AnswerResult }): JSX.Element {
  const { coverage, rejectedQuotes, warnings } = result;
  const { roots } = result;
  const meant = coverage.skipped.filter(({ reason }) => MEANT.has(reason));
  const skipped = byReason(meant.map(({ reason, path, root }) => [reason, placed(roots, root, path, folders.value)]));
  const hidden = byReason(
    coverage.partial.map(({ reason, path, root, line }) => [
      reason,
      placed(roots, root, path, folders.value) + (line === null ? '' : `:${line}`),
    ]),
  );
  return (
    <ul>
      <li>{words.turn.looked(coverage.scanned, coverage.found, coverage.read)}</li>
      {coverage.unread > 0 && <li>{words.turn.notRead(coverage.unread, coverage.documents)}</li>}
      {coverage.matchesUnread > 0 && <li>{words.turn.unread(coverage.matchesUnread)}</li>}
      {skipped.map(([reason, places]) => (
        <LeftOut key={reason} said={words.turn.skipped(places.length, reason)} places={places} />
      ))}
      {hidden.map(([reason, places]) => (
        <LeftOut key={reason} said={words.turn.hidden(places.length, reason)} places={places} />
      ))}
      {rejectedQuotes > 0 && <li>{words.turn.rejected(rejectedQuotes)}</li>}
      {warnings.map((warning) => (
        <li key={warning}>{warningInWords(warning)}</li>
      ))}
    </ul>
  );
}

/** A warning; where it tells what to do at a command line, what to do here. */
function warningInWords(warning: string): string {
  const late = lateIn(warning);
  return late === null ? warning : words.turn.late(late);
}

/** A sentence and the places that it counts, the first of many by name. */
function LeftOut({ said, places }: { readonly said: string; readonly places: readonly string[] }): JSX.Element {
  const rest = places.length - MOST_NAMED;
  return (
    <li>
      {said} <span class="path">{places.slice(0, MOST_NAMED).join(', ')}</span>
      {rest > 0 && ` ${words.turn.more(rest)}`}
    </li>
  );
}

function byReason(found: readonly (readonly [string, string])[]): readonly (readonly [string, readonly string[]])[] {
  const reasons = new Map<string, string[]>();
  for (const [reason, place] of found) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), place]);
  }
  return [...reasons];
}

/** Passages that left the machine; each opens where it stands. */
export function SentPlaces({ places }: { readonly places: readonly SentPlace[] }): JSX.Element {
  return (
    <ul class="sent-places">
      {places.map(({ uri, path, span }) => (
        <li key={`${path} ${span.join()}`}>
          <button
            type="button"
            class="link"
            onClick={() => void open({ uri, path, span: [span[0], span[1]], quote: null, locator: null })}
          >
            {path}
          </button>
          <span>{words.sent.span(span[0], span[1])}</span>
        </li>
      ))}
    </ul>
  );
}
