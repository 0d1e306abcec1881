import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';

import type { Cluster } from '../protocol';
import { go } from '../state/route';
import { layoutOf, type MapNode, nodeTowards } from '../text/layout';
import { words } from '../words';
import { FRESHNESS, freshnessOf } from './MapView';

const LONGEST_LINE = 28;
const LINE_HEIGHT = 16;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The map as a picture. One answer can have the focus; arrow keys go to its neighbours. */
export function ClusterGraph({
  clusters,
  chosen,
}: {
  readonly clusters: readonly Cluster[];
  readonly chosen: string | null;
}): JSX.Element {
  const names = clusters.map(({ id }) => id).join();
  const layout = useMemo(() => layoutOf(clusters), [names]);
  const picture = useRef<SVGSVGElement>(null);
  const focused = useSignal(chosen);
  const reachable = layout.nodes.some(({ id }) => id === focused.value) ? focused.value : layout.nodes[0]?.id;
  const move = (event: KeyboardEvent, node: MapNode) => {
    const direction = ARROWS[event.key];
    if (direction !== undefined) {
      event.preventDefault();
      const next = nodeTowards(layout.nodes, node, ...direction);
      focused.value = next.id;
      picture.current?.querySelector<SVGGElement>(`[data-id="${next.id}"]`)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      go({ view: 'map', cluster: node.id });
    }
  };
  const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element of HTML groups the parts of a drawing
    <svg
      ref={picture}
      class="graph"
      width={layout.width}
      height={layout.height}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      role="group"
      aria-label={words.map.graph}
    >
      {layout.edges.map(({ from, to, weight }) => (
        <line
          key={`${from.id} ${to.id}`}
          x1={from.x}
          y1={from.y}
          x2={to.x}
          y2={to.y}
          stroke-width={1 + 2 * Math.min(1, weight)}
        />
      ))}
      {layout.nodes.map((node) => {
        const cluster = byId.get(node.id);
        return (
          cluster !== undefined && (
            <Node
              key={node.id}
              node={node}
              cluster={cluster}
              chosen={node.id === chosen}
              reachable={node.id === reachable}
              move={move}
            />
          )
        );
      })}
    </svg>
  );
}

interface NodeProps {
  readonly node: MapNode;
  readonly cluster: Cluster;
  readonly chosen: boolean;
  readonly reachable: boolean;
  readonly move: (event: KeyboardEvent, node: MapNode) => void;
}

function Node({ node, cluster, chosen, reachable, move }: NodeProps): JSX.Element {
  const state = freshnessOf(cluster);
  const lines = linesOf(cluster.title);
  return (
    // biome-ignore lint/a11y/useSemanticElements: no button of HTML stands in a drawing
    <g
      class={`node state-${state}${chosen ? ' chosen' : ''}`}
      data-id={node.id}
      transform={`translate(${node.x} ${node.y})`}
      role="button"
      tabindex={reachable ? 0 : -1}
      aria-label={`${lines.join(' ')}, ${FRESHNESS[state]}`}
      aria-description={cluster.title}
      aria-pressed={chosen}
      onClick={() => go({ view: 'map', cluster: node.id })}
      onKeyDown={(event: KeyboardEvent) => move(event, node)}
    >
      <circle class="halo" r={node.radius + 6} />
      <path d={shapeOf(state, node.radius)} />
      <text>
        {lines.map((line, at) => (
          <tspan key={line} x="0" y={node.radius + 18 + at * LINE_HEIGHT}>
            {`${line} `}
          </tspan>
        ))}
      </text>
      <title>{cluster.title}</title>
    </g>
  );
}

function shapeOf(state: ReturnType<typeof freshnessOf>, r: number): string {
  switch (state) {
    case 'verified':
      return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
    case 'moved':
      return `M0 ${-r * 1.2}L${r * 1.2} 0 0 ${r * 1.2} ${-r * 1.2} 0z`;
    case 'unverifiable':
      return `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 'withdrawn': {
      const a = r * 0.42;
      const arm = `l${r - a} ${-(r - a)} ${a} ${a} ${-(r - a)} ${r - a}`;
      return `M0 ${-a}${arm} ${r - a} ${r - a} ${-a} ${a} ${-(r - a)} ${-(r - a)} ${-(r - a)} ${r - a} ${-a} ${-a} ${r - a} ${-(r - a)} ${-(r - a)} ${-(r - a)} ${a} ${-a}z`;
    }
  }
}

/** A title in at most two lines; what is left out ends with three points. */
function linesOf(title: string): readonly string[] {
  if (title.length <= LONGEST_LINE) {
    return [title];
  }
  const space = title.lastIndexOf(' ', LONGEST_LINE);
  const at = space > 0 ? space : LONGEST_LINE;
  const rest = title.slice(at).trim();
  return [title.slice(0, at), rest.length <= LONGEST_LINE ? rest : `${rest.slice(0, LONGEST_LINE - 1).trimEnd()}…`];
}
