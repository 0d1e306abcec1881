/** Where the answers of the knowledge map stand: those that share passages near each other, the same at every look. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';

import type { Cluster } from '../protocol';

/** An answer on the map; coordinates from 0 to the map's width and height. */
export interface MapNode {
  readonly id: string;
  readonly radius: number;
  x: number;
  y: number;
}

export interface MapEdge {
  readonly from: MapNode;
  readonly to: MapNode;
  readonly weight: number;
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
}

const STEPS = 300;
/** Beside an answer, for what is written below it. */
const ROOM = 62;
/** What an answer takes up with its name: two lines of as many letters as `ClusterGraph` writes, and the halo. */
const NAME = { width: 196, height: 46 };
const HALO = 6;
const PASSES = 500;
const MARGIN = { x: 130, y: 50 };
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** How large an answer is drawn: by how often it was used, slowly. */
function radiusOf({ hits }: Cluster): number {
  return Math.min(26, 11 + 3 * Math.log2(1 + hits));
}

/** Where each of some clusters stands. */
export function layoutOf(clusters: readonly Cluster[]): MapLayout {
  // A spiral to begin with: the same clusters end in the same places.
  const nodes = clusters.map((cluster, at): MapNode => {
    const distance = 40 * Math.sqrt(at);
    const angle = at * GOLDEN_ANGLE;
    return { id: cluster.id, radius: radiusOf(cluster), x: distance * Math.cos(angle), y: distance * Math.sin(angle) };
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = clusters.flatMap((cluster) => edgesOf(cluster, byId));
  const links = edges.map(({ from, to, weight }) => ({ source: from.id, target: to.id, weight }));
  forceSimulation(nodes)
    .force('apart', forceManyBody().strength(-420).distanceMax(500))
    .force(
      'together',
      forceLink<MapNode, (typeof links)[number]>(links)
        .id(({ id }) => id)
        .distance(150),
    )
    .force('across', forceX(0).strength(0.05))
    .force('down', forceY(0).strength(0.09))
    .force(
      'room',
      forceCollide<MapNode>(({ radius }) => radius + ROOM),
    )
    .stop()
    .tick(STEPS);
  for (let pass = 0; pass < PASSES && parted(nodes); pass += 1);
  return framed(nodes, edges);
}

/** Pushes answers apart whose names would lie on each other, each half of the shorter way; whether there were any. */
function parted(nodes: readonly MapNode[]): boolean {
  let any = false;
  for (const [at, one] of nodes.entries()) {
    for (const other of nodes.slice(at + 1)) {
      const [across, down] = overlap(one, other);
      if (across <= 0 || down <= 0) {
        continue;
      }
      any = true;
      const axis = across < down ? 'x' : 'y';
      const way = (Math.min(across, down) / 2 + 1) * (one[axis] <= other[axis] ? 1 : -1);
      one[axis] -= way;
      other[axis] += way;
    }
  }
  return any;
}

/** By how much two answers with their names lie on each other, sideways and up and down; not at all if one is 0 or less. */
export function overlap(one: MapNode, other: MapNode): readonly [number, number] {
  const top = (node: MapNode) => node.y - node.radius - HALO;
  const bottom = (node: MapNode) => node.y + node.radius + NAME.height;
  const down = Math.min(bottom(one), bottom(other)) - Math.max(top(one), top(other));
  return [NAME.width - Math.abs(one.x - other.x), down];
}

function edgesOf(cluster: Cluster, byId: ReadonlyMap<string, MapNode>): MapEdge[] {
  const from = byId.get(cluster.id);
  return cluster.links.flatMap(({ cluster: other, weight }) => {
    const to = byId.get(other);
    // Each end names the other: one line is drawn.
    return from === undefined || to === undefined || (cluster.id > other && to !== from) ? [] : [{ from, to, weight }];
  });
}

function framed(nodes: readonly MapNode[], edges: readonly MapEdge[]): MapLayout {
  const left = Math.min(...nodes.map(({ x }) => x)) - MARGIN.x;
  const top = Math.min(...nodes.map(({ y }) => y)) - MARGIN.y;
  for (const node of nodes) {
    node.x = Math.round(node.x - left);
    node.y = Math.round(node.y - top);
  }
  const width = Math.max(...nodes.map(({ x }) => x)) + MARGIN.x;
  const height = Math.max(...nodes.map(({ y }) => y)) + MARGIN.y;
  return { width, height, nodes, edges };
}

/** The node that lies nearest in a direction; the one itself where nothing does. */
export function nodeTowards(nodes: readonly MapNode[], from: MapNode, dx: number, dy: number): MapNode {
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  for (const node of nodes) {
    const along = (node.x - from.x) * dx + (node.y - from.y) * dy;
    const aside = Math.abs((node.x - from.x) * dy) + Math.abs((node.y - from.y) * dx);
    const cost = along + 2 * aside;
    if (along > 0 && cost < least) {
      best = node;
      least = cost;
    }
  }
  return best;
}
