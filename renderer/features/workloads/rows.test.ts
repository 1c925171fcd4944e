import { describe, expect, it } from 'vitest';
import type { Workload } from '../../../contract/workloads.ts';
import { devWords, emptyWords, filterRows, readyTone, shortImage, type Row } from './rows.ts';

function row(more: Partial<Workload> = {}): Row {
  return {
    namespace: 'shop',
    kind: 'Deployment',
    name: 'web',
    ready: 1,
    desired: 1,
    images: ['registry.example/team/web:1.2'],
    createdAt: '2026-01-01T00:00:00Z',
    replaceable: true,
    ...more,
    key: more.name ?? 'web',
  };
}

describe('the filter of the table', () => {
  const rows = [
    row(),
    row({ name: 'db', kind: 'StatefulSet', owner: 'Helm release shop' }),
    row({ name: 'cart' }),
  ];

  it.each([
    ['', ['web', 'db', 'cart']],
    ['  ', ['web', 'db', 'cart']],
    ['WEB:1.2', ['web', 'db', 'cart']],
    ['stateful', ['db']],
    ['helm db', ['db']],
    ['helm web:9', []],
    ['car', ['cart']],
  ])('%j keeps %j', (filter, names) => {
    expect(filterRows(rows, filter).map(({ name }) => name)).toEqual(names);
  });

  it('finds sessions by what is shown of them', () => {
    const dev = { state: 'other', holder: 'ben@laptop', since: '' } as const;
    expect(filterRows([row(), row({ name: 'busy', dev })], 'ben').map(({ name }) => name)).toEqual(['busy']);
  });
});

describe('how a row looks', () => {
  it.each<[Partial<Workload>, string]>([
    [{ ready: 2, desired: 2 }, 'ok'],
    [{ ready: 1, desired: 2 }, 'warn'],
    [{ ready: 0, desired: 2 }, 'error'],
    [{ ready: 0, desired: 0 }, 'neutral'],
    [{ ready: 0, desired: 1, kind: 'Job' }, 'info'],
    [{ ready: 0, desired: 1, dev: { state: 'mine', holder: '', since: '' } }, 'neutral'],
  ])('%j is %s', (more, tone) => {
    expect(readyTone(row(more))).toBe(tone);
  });

  it.each([
    ['web', 'web'],
    ['registry.example:5000/team/web:1.2', 'web:1.2'],
    ['team/web@sha256:0123456789abcdef0123', 'web@sha256:0123456789ab…'],
    ['team/web:1@sha256:0123456789abcdef0123', 'web:1'],
  ])('the image %s is shown as %s', (image, short) => {
    expect(shortImage(image)).toBe(short);
  });

  it.each([
    [{ state: 'mine', session: 's' }, 'Your session'],
    [{ state: 'mine' }, 'Yours, elsewhere'],
    [{ state: 'other' }, 'ben@laptop'],
    [{ state: 'dead' }, 'Left over'],
  ] as const)('a session %j is called %s', (dev, text) => {
    expect(devWords({ holder: 'ben@laptop', since: '', ...dev }).text).toBe(text);
  });
});

describe('an empty table', () => {
  it('says which of its reasons it is', () => {
    expect(emptyWords({ total: 3, filter: 'x', namespaces: [] }).text).toContain('None of the 3 workloads');
    expect(emptyWords({ total: 0, filter: '', namespaces: ['shop'] }).text).toContain(
      'Namespace shop has none',
    );
    expect(emptyWords({ total: 0, filter: '', namespaces: [] }).text).toContain('The cluster has none');
    expect(emptyWords({ total: 0, filter: '', namespaces: ['a', 'b'] }).text).toContain(
      'None of the 2 namespaces',
    );
  });
});
