import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Cluster } from '../src/protocol';
import { layoutOf, nodeTowards, overlap } from '../src/text/layout';

function cluster(id: string, links: readonly string[] = []): Cluster {
  return { id, hits: 1, links: links.map((other) => ({ cluster: other, weight: 0.5 })) } as unknown as Cluster;
}

const clusters = [cluster('a', ['b']), cluster('b', ['a']), ...'cdefgh'.split('').map((id) => cluster(id))];

describe('the knowledge map', () => {
  it('is the same at every look', () => {
    assert.deepEqual(layoutOf(clusters), layoutOf(clusters));
  });

  it('draws a pair once, and nothing where the other is not shown', () => {
    assert.deepEqual(
      layoutOf(clusters).edges.map(({ from, to }) => [from.id, to.id]),
      [['a', 'b']],
    );
    assert.deepEqual(layoutOf([cluster('a', ['gone'])]).edges, []);
  });

  it('keeps answers apart and inside', () => {
    const { nodes, width, height } = layoutOf(clusters);
    for (const [at, one] of nodes.entries()) {
      assert.ok(one.x > 0 && one.x < width && one.y > 0 && one.y < height);
      for (const other of nodes.slice(at + 1)) {
        assert.ok(Math.hypot(one.x - other.x, one.y - other.y) > one.radius + other.radius);
      }
    }
  });

  it('writes no name over another', () => {
    for (const count of [2, 3, 7, 20, 60, 150]) {
      const ids = Array.from({ length: count }, (_, at) => `c${at}`);
      const { nodes } = layoutOf(ids.map((id, at) => cluster(id, at % 3 === 0 ? [`c${(at * 7 + 1) % count}`] : [])));
      for (const [at, one] of nodes.entries()) {
        for (const other of nodes.slice(at + 1)) {
          assert.ok(Math.min(...overlap(one, other)) <= 0, `${one.id} and ${other.id} of ${count}`);
        }
      }
    }
  });

  it('is walked by arrow keys: every answer is reached from every other', () => {
    const { nodes } = layoutOf(clusters);
    const reached = new Set([nodes[0]]);
    for (const node of reached) {
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        reached.add(node && nodeTowards(nodes, node, dx, dy));
      }
    }
    assert.equal(reached.size, nodes.length);
  });
});
