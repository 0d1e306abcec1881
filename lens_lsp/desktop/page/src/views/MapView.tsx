/** What earlier questions have proven, as a map or as a list, and what is known of the one that is chosen. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import type { CitationState, Cluster } from '../protocol';
import { clusters, loadClusters } from '../state/knowing';
import { tellFailure } from '../state/page';
import { go } from '../state/route';
import { words } from '../words';
import { ClusterDetail } from './ClusterDetail';
import { ClusterGraph } from './ClusterGraph';
import { Icon, StateShape } from './icons';

/** The graph of more than these says nothing any more, and takes long to lay out. */
const MOST_DRAWN = 150;

/** The worst that is true of what a cluster rests on. */
export function freshnessOf({ freshness }: Cluster): CitationState {
  const worst = (['withdrawn', 'unverifiable', 'moved'] as const).find((state) => (freshness?.[state] ?? 0) > 0);
  return worst ?? (freshness === null ? 'unverifiable' : 'verified');
}

export const FRESHNESS: Readonly<Record<CitationState, string>> = {
  verified: words.map.fresh,
  moved: words.map.moved,
  withdrawn: words.map.broken,
  unverifiable: words.map.unknown,
};

export function MapView({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const asList = useSignal(innerWidth < 720);
  const filter = useSignal('');
  useEffect(() => {
    loadClusters().catch(tellFailure);
  }, []);
  const all = clusters.value;
  const wanted = filter.value.trim().toLowerCase();
  const shown = (all ?? []).filter((cluster) => textOf(cluster).includes(wanted));
  const one = all?.find(({ id }) => id === chosen);
  return (
    <div class={one === undefined ? 'view map' : 'view map with-detail'}>
      <div class="map-main">
        <h1 tabIndex={-1}>{words.map.title}</h1>
        <p class="intro">{words.map.intro}</p>
        {all === null && <p class="hint">{words.map.loading}</p>}
        {all !== null && all.length === 0 && <p class="hint">{words.map.empty}</p>}
        {all !== null && all.length > 0 && (
          <>
            <div class="map-tools">
              <Choice asList={asList} />
              <input
                type="search"
                aria-label={words.map.filter}
                placeholder={words.map.filter}
                value={filter.value}
                onInput={({ currentTarget }) => {
                  filter.value = currentTarget.value;
                }}
              />
              <button type="button" class="quiet" onClick={() => void loadClusters().catch(tellFailure)}>
                <Icon name="check" />
                <span>{words.map.check}</span>
              </button>
            </div>
            <Legend />
            {asList.value ? (
              <ClusterList clusters={shown} chosen={chosen} />
            ) : (
              <ClusterGraph clusters={shown.slice(0, MOST_DRAWN)} chosen={chosen} />
            )}
          </>
        )}
      </div>
      {one !== undefined && <ClusterDetail cluster={one} />}
    </div>
  );
}

function textOf({ title, questions, facts }: Cluster): string {
  return [title, ...questions.map(({ question }) => question), ...facts.map(({ text }) => text)]
    .join('\n')
    .toLowerCase();
}

function Choice({ asList }: { readonly asList: { value: boolean } }): JSX.Element {
  const choose = (list: boolean) => () => {
    asList.value = list;
  };
  return (
    <fieldset class="toggle" aria-label={words.map.views}>
      <button type="button" aria-pressed={!asList.value} onClick={choose(false)}>
        {words.map.asGraph}
      </button>
      <button type="button" aria-pressed={asList.value} onClick={choose(true)}>
        {words.map.asList}
      </button>
    </fieldset>
  );
}

function Legend(): JSX.Element {
  return (
    <ul class="legend" aria-label={words.map.legend}>
      {(Object.keys(FRESHNESS) as CitationState[]).map((state) => (
        <li key={state} class={`state state-${state}`}>
          <StateShape state={state} />
          {FRESHNESS[state]}
        </li>
      ))}
    </ul>
  );
}

interface ListProps {
  readonly clusters: readonly Cluster[];
  readonly chosen: string | null;
}

function ClusterList({ clusters: shown, chosen }: ListProps): JSX.Element {
  return (
    <ul class="cluster-list">
      {shown.map((cluster) => {
        const state = freshnessOf(cluster);
        return (
          <li key={cluster.id}>
            <button
              type="button"
              aria-current={cluster.id === chosen ? 'true' : undefined}
              onClick={() => go({ view: 'map', cluster: cluster.id })}
            >
              <span class={`state state-${state}`}>
                <StateShape state={state} />
                <span class="sr">{FRESHNESS[state]}</span>
              </span>
              <span class="cluster-title">{cluster.title}</span>
              <span class="hint">{cluster.freshness === null ? '' : words.map.freshness(cluster.freshness)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
