import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../contract/sessions.ts';
import type { Workload } from '../../contract/workloads.ts';
import { countWorkloads, mostNamespaces, namespaceRows, withNamespace } from './side-model.ts';

const workload = (namespace: string, name: string, dev?: Workload['dev']): Workload => ({
  namespace,
  kind: 'Deployment',
  name,
  ready: 1,
  desired: 1,
  images: [],
  createdAt: '2026-03-03T12:00:00Z',
  replaceable: true,
  dev,
});
const session = (parts: Partial<SessionSummary>): SessionSummary => ({
  id: 's1',
  cluster: 'c1',
  namespace: 'shop',
  target: 'web',
  kind: 'Deployment',
  folder: '/f',
  stage: 'running',
  health: 'ok',
  sentence: '',
  startedAt: '2026-03-03T12:00:00Z',
  held: 0,
  conflicts: 0,
  ports: 0,
  ...parts,
});
const forbidden = { code: 'cluster.forbidden', message: 'm', cause: 'c', next: 'n' } as const;
const other = { state: 'other', holder: 'bob', since: '2026-03-03T12:00:00Z' } as const;

describe('counting workloads', () => {
  it('counts by namespace, also those with none', () => {
    const items = { a: workload('shop', 'a'), b: workload('shop', 'b', other) };
    expect(countWorkloads({ state: 'ready', items }, ['shop', 'empty'])).toEqual({
      shop: { count: 2, others: 1 },
      empty: { count: 0, others: 0 },
    });
  });

  it('says nothing while nobody has looked', () => {
    expect(countWorkloads(undefined, ['shop'])).toEqual({});
    expect(countWorkloads({ state: 'loading', items: {} }, ['shop'])).toEqual({});
    const gone = { ...forbidden, code: 'cluster.timeout' } as const;
    expect(countWorkloads({ state: 'error', items: {}, error: gone }, ['shop'])).toEqual({});
  });

  it('says forbidden where it is', () => {
    expect(countWorkloads({ state: 'error', items: {}, error: forbidden }, ['shop'])).toEqual({
      shop: { count: 'forbidden', others: 0 },
    });
  });

  it('takes every name', () => {
    const items = { a: workload('__proto__', 'a') };
    expect(Object.entries(countWorkloads({ state: 'ready', items }, []))).toEqual([
      ['__proto__', { count: 1, others: 0 }],
    ]);
  });
});

describe('the rows of namespaces', () => {
  const rows = (parts: Partial<Parameters<typeof namespaceRows>[0]>) =>
    namespaceRows({
      namespaces: ['shop', 'shop-10', 'shop-2', 'platform'].map((name) => ({ name, terminating: false })),
      chosen: [],
      sessions: [],
      cluster: 'c1',
      counts: {},
      filter: '',
      ...parts,
    });

  it('come by name, numbers within them by their worth', () => {
    expect(rows({}).rows.map(({ name }) => name)).toEqual(['platform', 'shop', 'shop-2', 'shop-10']);
  });

  it('begin with those that have a session of ours, and show its health', () => {
    const sessions = [
      session({ namespace: 'shop-2' }),
      session({ id: 's2', namespace: 'shop-2', health: 'attention' }),
      session({ id: 's3', namespace: 'platform', cluster: 'c2' }),
      session({ id: 's4', namespace: 'shop', stage: 'ended' }),
    ];
    const shown = rows({ sessions }).rows;
    expect(shown.map(({ name, dev }) => [name, dev])[0]).toEqual(['shop-2', 'attention']);
    expect(shown.slice(1).every(({ dev }) => dev === 'none')).toBe(true);
  });

  it('show who else develops there', () => {
    const counts = { shop: { count: 3, others: 1 } };
    expect(rows({ counts }).rows.find(({ name }) => name === 'shop')).toMatchObject({
      dev: 'other',
      count: 3,
    });
  });

  it('have what is looked at, also when it cannot be listed', () => {
    expect(rows({ namespaces: [], chosen: ['mine'] }).rows).toMatchObject([{ name: 'mine', chosen: true }]);
  });

  it('are filtered and bounded', () => {
    expect(rows({ filter: ' SHOP-' }).rows).toHaveLength(2);
    const namespaces = Array.from({ length: 1000 }, (_, index) => ({
      name: `n${index}`,
      terminating: false,
    }));
    const all = rows({ namespaces });
    expect([all.rows.length, all.more]).toEqual([mostNamespaces, 1000 - mostNamespaces]);
  });
});

it('adds a namespace or takes it away, and never ends with none', () => {
  expect(withNamespace(['a'], 'b')).toEqual(['a', 'b']);
  expect(withNamespace(['a', 'b'], 'a')).toEqual(['b']);
  expect(withNamespace(['a'], 'a')).toEqual(['a']);
});
