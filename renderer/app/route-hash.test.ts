import { describe, expect, it } from 'vitest';
import { isDetached, parseRoute, routeHash, type Route } from './route-hash.ts';

describe('every page has an address that leads back to it', () => {
  const routes: readonly Route[] = [
    { page: 'welcome' },
    { page: 'workloads', cluster: 'c1', namespaces: [] },
    { page: 'workloads', cluster: 'c1', namespaces: ['shop', 'shop-anna'] },
    { page: 'workload', cluster: 'c1', namespace: 'shop', kind: 'Deployment', name: 'web' },
    { page: 'workload', cluster: 'c1', namespace: 'shop', kind: 'Pod', name: 'a/b#c%', tab: 'start' },
    { page: 'session', session: 's1' },
    { page: 'session', session: 's1', tab: 'ports' },
    { page: 'session', session: 's1', tab: 'sync', part: 'conflicts' },
    { page: 'session', session: 's1', tab: 'sync', part: 'trash', search: 'src/a b/ü%.ts' },
    { page: 'leftovers' },
    { page: 'leftovers', cluster: 'c1' },
    { page: 'settings' },
    { page: 'settings', section: 'shortcuts' },
    { page: 'terminal', terminal: 't1' },
    { page: 'log', target: { kind: 'session', session: 's1' } },
    {
      page: 'log',
      target: {
        kind: 'workload',
        cluster: 'c1',
        namespace: 'shop',
        workload: 'Pod',
        name: 'web',
        container: 'a',
      },
    },
  ];
  it.each(routes.map((route) => [routeHash(route), route] as const))('%s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });
});

describe('an address that names no page', () => {
  it.each([
    [''],
    ['#'],
    ['#/'],
    ['#token=abc'],
    ['#/nowhere'],
    ['#/workloads'],
    ['#/workload/c1/shop/Secret/web'],
    ['#/workload/c1/shop/Pod'],
    ['#/session'],
    ['#/terminal'],
    ['#/terminal/T1'],
    ['#/terminal/t1/more'],
    ['#/log/session'],
    ['#/log/workload/c1/shop/Secret/web'],
    ['#/log/workload/c1/shop/Pod/web/a/more'],
    ['#/%E0%A4%A'],
    [`#/workloads/${'x'.repeat(20_000)}`],
  ])('%s is Welcome', (hash) => {
    expect(parseRoute(hash)).toEqual({ page: 'welcome' });
  });

  it('loses only the part that names nothing', () => {
    expect(parseRoute('#/session/s1/nothing')).toEqual({ page: 'session', session: 's1' });
    expect(parseRoute('#/session/s1/sync/nothing/x')).toEqual({
      page: 'session',
      session: 's1',
      tab: 'sync',
    });
    expect(parseRoute('#/session/s1/ports/trash/x')).toEqual({
      page: 'session',
      session: 's1',
      tab: 'ports',
    });
    expect(parseRoute('#/settings/nothing')).toEqual({ page: 'settings' });
  });
});

describe('what is shown without the frame', () => {
  it.each([
    ['#/welcome', false],
    ['#/session/s1/terminal', false],
    ['#/session/s1/logs', false],
    ['#/terminal/t1', true],
    ['#/log/session/s1', true],
    ['#/terminal/no way', false],
  ])('%s: %s', (hash, detached) => {
    expect(isDetached(parseRoute(hash))).toBe(detached);
  });
});
