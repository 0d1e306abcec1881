import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { focusQuestion } from '../keys';
import type { Cluster } from '../protocol';
import { callWrong, clusters, forget } from '../state/knowing';
import { draft, tellFailure } from '../state/page';
import { go } from '../state/route';
import { open } from '../state/source';
import { placeInWords } from '../text/places';
import { when, words } from '../words';
import { ConfirmDialog } from './Dialog';
import { Icon, StateShape } from './icons';
import { mayScroll } from './PassageCard';

/** All that is known of one answer: its facts, what proves them, and who asked. */
export function ClusterDetail({ cluster }: { readonly cluster: Cluster }): JSX.Element {
  const asking = useSignal<'forget' | 'wrong' | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
  }, [cluster.id]);
  const again = () => {
    draft.value = cluster.questions.at(-1)?.question ?? cluster.title;
    focusQuestion();
  };
  return (
    <section class="detail" aria-label={words.map.detail}>
      <header>
        <h2 ref={title} tabIndex={-1}>
          {cluster.title}
        </h2>
        <button
          type="button"
          class="quiet"
          aria-label={words.close}
          title={words.close}
          onClick={() => go({ view: 'map', cluster: null })}
        >
          <Icon name="close" />
        </button>
      </header>
      <p class="hint">{words.map.used(cluster.hits, cluster.used)}</p>
      <Facts cluster={cluster} />
      <Citations cluster={cluster} />
      <Questions cluster={cluster} />
      <Related cluster={cluster} />
      <div class="actions">
        <button type="button" onClick={again}>
          {words.map.ask}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            asking.value = 'wrong';
          }}
        >
          {words.map.wrong}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            asking.value = 'forget';
          }}
        >
          {words.map.forget}
        </button>
      </div>
      {asking.value && (
        <GoneDialog
          cluster={cluster}
          how={asking.value}
          close={() => {
            asking.value = null;
          }}
        />
      )}
    </section>
  );
}

const GOING = {
  forget: {
    run: forget,
    title: words.map.forgetTitle,
    means: words.map.forgetMeans,
    done: words.map.forgetDo,
  },
  wrong: {
    run: (id: string) => callWrong([id]),
    title: words.map.wrongTitle,
    means: words.map.wrongMeans,
    done: words.map.wrongDo,
  },
};

interface Going {
  readonly cluster: Cluster;
  readonly how: keyof typeof GOING;
  readonly close: () => void;
}

/** Asks before a cluster goes. */
function GoneDialog({ cluster, how, close }: Going): JSX.Element {
  const { run, title, means, done } = GOING[how];
  const gone = () => {
    close();
    go({ view: 'map', cluster: null }, { replace: true });
    run(cluster.id).catch(tellFailure);
  };
  return (
    <ConfirmDialog title={title} label={done} act={gone} close={close}>
      <p>
        <strong>{cluster.title}</strong>
      </p>
      <p>{means}</p>
    </ConfirmDialog>
  );
}

function Facts({ cluster: { facts } }: { readonly cluster: Cluster }): JSX.Element {
  return (
    <>
      <h3>{words.map.facts}</h3>
      <ul class="plain">
        {facts.map((fact) => (
          <li key={fact.id} class={`need need-${fact.retired ? 'missing' : fact.status}`}>
            <StateShape state={fact.retired ? 'missing' : fact.status} />
            <span class="need-text">
              {fact.text}
              {fact.value !== null && <strong> {fact.value}</strong>}
            </span>
            <span class="need-status">{fact.retired ? words.map.retired : words.turn.needStatus[fact.status]}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Citations({ cluster: { citations } }: { readonly cluster: Cluster }): JSX.Element {
  return (
    <>
      <h3>{words.map.citations}</h3>
      <ul class="plain citations">
        {citations.map(({ id, uri, path, span, quote, locator }) => (
          <li key={id}>
            <blockquote class="quote" tabIndex={mayScroll(quote) ? 0 : undefined}>
              {quote}
            </blockquote>
            <button type="button" class="link" onClick={() => void open({ uri, path, span, quote, locator })}>
              {[path, placeInWords(path, locator, null)].filter(Boolean).join(', ')}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Questions({ cluster: { questions } }: { readonly cluster: Cluster }): JSX.Element {
  return (
    <>
      <h3>{words.map.questions}</h3>
      <ul class="plain">
        {questions.map(({ question, asked }) => (
          <li key={`${question} ${asked}`}>
            {question} <span class="hint">{when(asked)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Related({ cluster: { links } }: { readonly cluster: Cluster }): JSX.Element | null {
  const others = links.flatMap(({ cluster }) => clusters.value?.find(({ id }) => id === cluster) ?? []);
  if (others.length === 0) {
    return null;
  }
  return (
    <>
      <h3>{words.map.related}</h3>
      <ul class="plain">
        {others.map(({ id, title }) => (
          <li key={id}>
            <button type="button" class="link" onClick={() => go({ view: 'map', cluster: id })}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
