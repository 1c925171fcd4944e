import { describe, expect, it } from 'vitest';
import {
  detachedHash,
  maximumDetachedHash,
  parseDetachedRoute,
  type DetachedRoute,
} from './detached-route.ts';

const workload = {
  kind: 'workload',
  cluster: 'c1',
  namespace: 'shop',
  workload: 'Deployment',
  name: 'web.v1',
} as const;

describe('what a window can show alone has an address', () => {
  const routes: readonly (readonly [string, DetachedRoute])[] = [
    ['#/terminal/t1', { page: 'terminal', terminal: 't1' }],
    ['#/log/session/s1', { page: 'log', target: { kind: 'session', session: 's1' } }],
    ['#/log/workload/c1/shop/Deployment/web.v1', { page: 'log', target: workload }],
    [
      '#/log/workload/c1/shop/Deployment/web.v1/proxy',
      { page: 'log', target: { ...workload, container: 'proxy' } },
    ],
  ];
  it.each(routes)('%s', (hash, route) => {
    expect(detachedHash(route)).toBe(hash);
    expect(parseDetachedRoute(hash)).toEqual(route);
  });

  it('however long its names are', () => {
    const longest: DetachedRoute = {
      page: 'log',
      target: {
        ...workload,
        cluster: 'c'.repeat(64),
        namespace: 'n'.repeat(63),
        name: 'w'.repeat(253),
        container: 'p'.repeat(63),
      },
    };
    expect(parseDetachedRoute(detachedHash(longest))).toEqual(longest);
  });
});

describe('no other address is one', () => {
  it.each([
    '',
    '#',
    '#/',
    '#/settings',
    '#/session/s1',
    '/terminal/t1',
    'https://example.com/#/terminal/t1',
    '#/terminal',
    '#/terminal/',
    '#/terminal/t1/',
    '#/terminal/t1/more',
    '#/terminal/T1',
    '#/terminal/t1\n',
    '#/terminal/t%31',
    '#/terminal/../settings',
    `#/terminal/${'t'.repeat(41)}`,
    '#/log',
    '#/log/session',
    '#/log/session/s1/more',
    '#/log/workload/c1/shop/Secret/web',
    '#/log/workload/c1/shop/Deployment',
    '#/log/workload/c1/Shop/Deployment/web',
    '#/log/workload/c1/shop/Deployment/web/',
    '#/log/workload/c1/shop/Deployment/web/a.b',
    '#/log/workload/c1/shop/Deployment/web/proxy/more',
    '#/log/workload/c-1/shop/Deployment/web',
    `#/terminal/t1${' '.repeat(maximumDetachedHash)}`,
  ])('%j', (hash) => {
    expect(parseDetachedRoute(hash)).toBeUndefined();
  });
});
