import { expect, test } from 'vitest';
import { parseRoute } from '../../../renderer/app/route-hash.ts';
import { deepLinkHash, deepLinkIn, parseDeepLink, type DeepLink } from './deep-links.ts';

const known: readonly (readonly [string, DeepLink])[] = [
  ['slipway://show', { kind: 'show' }],
  ['slipway://show/', { kind: 'show' }],
  ['slipway://workloads/c1', { kind: 'workloads', cluster: 'c1', namespaces: [] }],
  [
    'slipway://workloads/c1?namespace=shop&namespace=shop-anna',
    { kind: 'workloads', cluster: 'c1', namespaces: ['shop', 'shop-anna'] },
  ],
  [
    'slipway://workload/c1/shop/Deployment/web.v2',
    { kind: 'workload', cluster: 'c1', namespace: 'shop', workload: 'Deployment', name: 'web.v2' },
  ],
  ['slipway://session/abc123', { kind: 'session', session: 'abc123' }],
  ['slipway://leftovers', { kind: 'leftovers' }],
  ['slipway://leftovers/c1', { kind: 'leftovers', cluster: 'c1' }],
  ['slipway://settings', { kind: 'settings' }],
  ['slipway://settings/tools', { kind: 'settings', section: 'tools' }],
];

test.each(known)('%s', (text, link) => {
  expect(parseDeepLink(text)).toEqual(link);
});

test.each([
  '',
  'slipway:',
  'slipway://',
  'slipway://stop/abc',
  'slipway://start/c1/shop/Deployment/web',
  'slipway://show/more',
  'slipway://show#fragment',
  'slipway://show?action=stop',
  'slipway://user@show',
  'slipway://show:1',
  'https://show',
  'slipway://workloads',
  'slipway://workloads/C1',
  'slipway://workloads/c1?namespace=UPPER',
  'slipway://workloads/c1?namespace=a&other=b',
  'slipway://workloads/c1?namespace=%3Cscript%3E',
  'slipway://session/abc?namespace=a',
  'slipway://session/abc%2f..',
  'slipway://session/javascript:alert(1)',
  'slipway://workload/c1/shop/Secret/web',
  'slipway://workload/c1/shop/Deployment/web/more',
  'slipway://workload/c1/shop/Deployment/%2e%2e',
  'slipway://workload/c1/shop/Deployment/',
  'slipway://settings/nothing',
])('%j is unknown', (text) => {
  expect(parseDeepLink(text)).toEqual({ kind: 'unknown', text: text.slice(0, 2048) });
});

test('what is too long or too much is unknown, and kept short', () => {
  const links = [
    `slipway://workloads/c1?${'namespace=a&'.repeat(51)}`,
    `slipway://session/${'a'.repeat(41)}`,
    `slipway://leftovers/${'a'.repeat(5000)}`,
  ];
  for (const text of links)
    expect(parseDeepLink(text)).toEqual({ kind: 'unknown', text: text.slice(0, 2048) });
});

test('the link is found among the arguments of a start', () => {
  expect(deepLinkIn(['/usr/bin/slipway', '--flag', 'slipway://show', 'slipway://leftovers'])).toBe(
    'slipway://show',
  );
  expect(deepLinkIn(['/usr/bin/slipway', 'https://example.com/?slipway://show'])).toBeUndefined();
});

test('the window finds the page of every link', () => {
  const routes = known
    .map(([, link]) => deepLinkHash(link))
    .filter((hash) => hash !== undefined)
    .map(parseRoute);
  expect(routes).toEqual([
    { page: 'workloads', cluster: 'c1', namespaces: [] },
    { page: 'workloads', cluster: 'c1', namespaces: ['shop', 'shop-anna'] },
    { page: 'workload', cluster: 'c1', namespace: 'shop', kind: 'Deployment', name: 'web.v2' },
    { page: 'session', session: 'abc123' },
    { page: 'leftovers' },
    { page: 'leftovers', cluster: 'c1' },
    { page: 'settings' },
    { page: 'settings', section: 'tools' },
  ]);
});
