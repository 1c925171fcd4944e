import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../contract/clusters.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import type { Terminal } from '../../contract/terminals.ts';
import { detachedPlaceOf } from './detached-place.ts';
import { parseRoute, isDetached } from './route-hash.ts';

const known = {
  clusters: { c1: { id: 'c1', context: 'staging' } as Cluster },
  sessions: { s1: { id: 's1', cluster: 'c1', target: 'web' } as SessionSummary },
  terminals: {
    t1: { id: 't1', title: 'web-1', cluster: 'c1', namespace: 'shop' } as Terminal,
    t2: { id: 't2', title: 'web', cluster: 'c1', namespace: 'shop', session: 's1' } as Terminal,
    t3: { id: 't3', title: 'a\u202eb', cluster: 'gone', namespace: 'shop' } as Terminal,
  },
};
const nothing = { clusters: undefined, sessions: undefined, terminals: undefined };

describe('a detached view', () => {
  it.each([
    ['#/terminal/t1', known, 'c1', 'Terminal in web-1 · staging · Slipway', 'workloads'],
    ['#/terminal/t2', known, 'c1', 'Terminal in web · staging · Slipway', 'session'],
    ['#/terminal/t3', known, undefined, 'Terminal in a‹U+202E›b · Slipway', 'workloads'],
    ['#/terminal/t9', known, undefined, 'Terminal · Slipway', 'welcome'],
    ['#/terminal/t1', nothing, undefined, 'Terminal · Slipway', 'welcome'],
    ['#/log/session/s1', known, 'c1', 'Log of web · staging · Slipway', 'session'],
    ['#/log/session/s9', known, undefined, 'Log of a session · Slipway', 'session'],
    ['#/log/workload/c1/shop/Pod/web', known, 'c1', 'Log of web · staging · Slipway', 'workload'],
    ['#/log/workload/c1/shop/Pod/web/a', known, 'c1', 'Log of web · a · staging · Slipway', 'workload'],
    ['#/log/workload/c9/shop/Pod/web', known, undefined, 'Log of web · Slipway', 'workload'],
  ] as const)('%s of %j', (hash, where, cluster, title, home) => {
    const route = parseRoute(hash);
    if (!isDetached(route)) throw new Error('not detached');
    const place = detachedPlaceOf(route, where);
    expect([place.cluster?.id, place.title, place.home.page]).toEqual([cluster, title, home]);
  });
});
