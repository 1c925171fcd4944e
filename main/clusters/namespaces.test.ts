import type { V1Namespace } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { foldNamespaces, maximumNamespaces } from './namespaces.ts';

const now = (): string => '2020-01-01T00:00:00.000Z';
const named = (name: string): V1Namespace => ({ metadata: { name } });

describe('the list of namespaces', () => {
  it('keeps no more than are shown, however many come one by one', () => {
    const most = Array.from({ length: maximumNamespaces }, (_, index) => named(`n${index}`));
    let listing = foldNamespaces({ state: 'loading', items: {} }, { kind: 'reset', items: most }, [], now);
    expect(listing.state).toBe('ready');
    for (const name of ['a', 'b', 'c'])
      listing = foldNamespaces(listing, { kind: 'added', object: named(name) }, [], now);
    expect(listing.state).toBe('partial');
    expect(Object.keys(listing.items)).toHaveLength(maximumNamespaces);
    expect(listing.notes).toHaveLength(1);
  });

  it('leaves out what makes no sense, says so, and keeps the rest', () => {
    const odd = { metadata: { name: 7 } } as unknown as V1Namespace;
    const items = [named('a'), odd, {}, named('b')];
    const listing = foldNamespaces({ state: 'loading', items: {} }, { kind: 'reset', items }, [], now);
    expect(Object.keys(listing.items)).toEqual(['a', 'b']);
    expect(listing).toMatchObject({
      state: 'partial',
      notes: [expect.stringContaining('2 objects make no sense')],
    });
    const whole = foldNamespaces(listing, { kind: 'reset', items: [named('a')] }, [], now);
    expect(whole).toEqual({ state: 'ready', items: { a: { name: 'a', terminating: false } } });
    const again = foldNamespaces(whole, { kind: 'added', object: odd }, [], now);
    expect(again).toMatchObject({
      state: 'partial',
      items: whole.items,
      notes: [expect.stringContaining('1 object')],
    });
    expect(foldNamespaces(again, { kind: 'modified', object: odd }, [], now)).toBe(again);
  });

  it('takes a name that is a word of the language for a name', () => {
    const event = { kind: 'added', object: named('constructor') } as const;
    const listing = foldNamespaces({ state: 'ready', items: {} }, event, [], now);
    expect(Object.keys(listing.items)).toEqual(['constructor']);
  });
});
