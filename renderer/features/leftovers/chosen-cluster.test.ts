import { expect, it } from 'vitest';
import type { Cluster } from '../../../contract/clusters.ts';
import { chosenCluster, clusterLabel } from './chosen-cluster.ts';

const clusters = ['a', 'b', 'c'].map((id) => ({ id, context: id, current: id === 'b' }) as Cluster);

it.each([
  ['c', {}, 'c'],
  ['gone', { a: 1 }, undefined],
  [undefined, {}, 'b'],
  [undefined, { a: 1, c: 3, b: 0 }, 'c'],
] as const)('asked for %s with %j it is %s', (asked, counts, id) => {
  expect(chosenCluster(asked, clusters, counts)?.id).toBe(id);
});

it('says how many there are, when there are some', () => {
  expect(clusters.map((cluster, index) => clusterLabel(cluster, index))).toEqual(['a', 'b (1)', 'c (2)']);
});
