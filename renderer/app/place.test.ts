import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../contract/clusters.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { placeOf, titleOf } from './place.ts';
import type { PageRoute } from './route.ts';

const cluster = (id: string, current = false): Cluster => ({
  id,
  context: `context-${id}`,
  cluster: id,
  user: 'anna',
  server: 'https://localhost',
  file: '/f',
  namespace: `own-${id}`,
  initials: id,
  color: 'blue',
  guard: 'none',
  current,
});
const clusters = [cluster('a'), cluster('b', true), cluster('c')];
const session = { id: 's', cluster: 'c', namespace: 'shop', target: 'web' } as SessionSummary;

const place = (route: PageRoute, last?: string, lastNamespaces = {}) => {
  const found = placeOf({ route, clusters, sessions: [session], last, lastNamespaces });
  return [found.cluster?.id, found.namespaces];
};

describe('where the user is', () => {
  it.each([
    ['the page’s own', { page: 'workloads', cluster: 'a', namespaces: ['x', 'y'] }, 'c', 'a', ['x', 'y']],
    ['the session’s', { page: 'session', session: 's' }, 'a', 'c', ['shop']],
    [
      'the workload’s',
      { page: 'workload', cluster: 'a', namespace: 'x', kind: 'Pod', name: 'p' },
      'c',
      'a',
      ['x'],
    ],
    ['where one looked last', { page: 'settings' }, 'c', 'c', ['own-c']],
    ['the kubeconfig’s, at first', { page: 'welcome' }, undefined, 'b', ['own-b']],
    ['the kubeconfig’s, when the last is gone', { page: 'welcome' }, 'gone', 'b', ['own-b']],
    ['nowhere, when the page’s own is gone', { page: 'leftovers', cluster: 'gone' }, 'a', undefined, []],
  ] as const)('%s', (_name, route, last, id, namespaces) => {
    expect(place(route, last)).toEqual([id, namespaces]);
  });

  it('remembers the namespaces that were looked at', () => {
    expect(place({ page: 'settings' }, 'a', { a: ['x'] })).toEqual(['a', ['x']]);
  });
});

describe('the title of the document', () => {
  it.each([
    [{ page: 'session', session: 's' }, 'web session · context-c · Slipway'],
    [{ page: 'workloads', cluster: 'a', namespaces: ['shop'] }, 'shop · context-a · Slipway'],
    [{ page: 'workloads', cluster: 'a', namespaces: [] }, 'Workloads · context-a · Slipway'],
    [{ page: 'settings' }, 'Settings · Slipway'],
  ] as const)('%j', (route, expected) => {
    const where = placeOf({ route, clusters, sessions: [session], last: undefined, lastNamespaces: {} });
    expect(titleOf(route, where, session)).toBe(expected);
  });

  it('shows what hides in a name, and not all of a long one', () => {
    const context = `a\u202eb${'c'.repeat(1000)}`;
    const where = { cluster: { ...cluster('a'), context }, namespaces: [] };
    const title = titleOf({ page: 'leftovers', cluster: 'a' }, where, undefined);
    expect(title).toMatch(/^Leftovers · a‹U\+202E›bc+… · Slipway$/);
    expect(title.length).toBeLessThan(200);
  });
});
