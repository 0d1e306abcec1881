/** The ledger: for each question of the session what left the machine, to whom, and what it cost. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import type { LedgerResult } from '../protocol';
import { ledger, loadLedger } from '../state/knowing';
import { tellFailure } from '../state/page';
import { counted, words } from '../words';
import { SentPlaces } from './Account';

type Entry = LedgerResult['questions'][number];

export function SentView(): JSX.Element {
  useEffect(() => {
    loadLedger().catch(tellFailure);
  }, []);
  const questions = ledger.value?.questions ?? [];
  return (
    <div class="view">
      <h1 tabIndex={-1}>{words.sent.title}</h1>
      <p class="intro">{words.sent.intro}</p>
      <Today />
      {ledger.value !== null && questions.length === 0 && <p class="hint">{words.sent.empty}</p>}
      {questions.length > 0 && (
        <table class="ledger">
          <thead>
            <tr>
              <th scope="col">{words.sent.question}</th>
              <th scope="col">{words.sent.to}</th>
              <th scope="col" class="figure">
                {words.sent.passages}
              </th>
              <th scope="col" class="figure">
                {words.sent.calls}
              </th>
              <th scope="col" class="figure">
                {words.sent.tokens}
              </th>
              <th scope="col" class="figure">
                {words.sent.cost}
              </th>
            </tr>
          </thead>
          <tbody>
            {questions.map((entry, at) => (
              <EntryRows key={`${entry.question} ${questions.length - at}`} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Today(): JSX.Element | null {
  const today = ledger.value?.today;
  if (today == null) {
    return null;
  }
  const figures = [
    [words.sent.calls, counted(today.calls)],
    [words.sent.tokens, counted(today.tokens.in + today.tokens.out)],
    [words.sent.cost, today.cost === null ? words.sent.noCost : words.sent.amount(today.cost)],
  ] as const;
  return (
    <section class="today" aria-label={words.sent.today}>
      <h2>{words.sent.today}</h2>
      <dl>
        {figures.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function EntryRows({ entry: { question, ledger: book } }: { readonly entry: Entry }): JSX.Element {
  const opened = useSignal(false);
  const count = book.sent.length;
  return (
    <>
      <tr>
        <th scope="row">{question}</th>
        <td data-name={words.sent.to}>{book.endpoint === null || count === 0 ? words.sent.nobody : book.endpoint}</td>
        <td data-name={words.sent.passages} class="figure">
          {count === 0 ? (
            0
          ) : (
            <button
              type="button"
              class="link"
              aria-expanded={opened.value}
              aria-label={opened.value ? words.sent.hide : words.sent.show(count)}
              onClick={() => {
                opened.value = !opened.value;
              }}
            >
              {counted(count)}
            </button>
          )}
        </td>
        <td data-name={words.sent.calls} class="figure">
          {counted(book.calls.total ?? 0)}
        </td>
        <td data-name={words.sent.tokens} class="figure">
          {counted(book.tokens.in + book.tokens.out)}
        </td>
        <td data-name={words.sent.cost} class="figure">
          {book.cost === null ? words.sent.noCost : words.sent.amount(book.cost)}
        </td>
      </tr>
      {opened.value && (
        <tr class="entry-places">
          <td colSpan={6}>
            <SentPlaces places={book.sent} />
          </td>
        </tr>
      )}
    </>
  );
}
