import { describe, expect, it } from 'vitest';
import type { ErrorCode, ErrorValue } from '../../contract/errors.ts';
import { listingState, type ListingSource } from './listing-state.ts';
import type { ObjectsStatus } from './live-objects.ts';

function error(code: ErrorCode, message = 'No.'): ErrorValue {
  return { code, message, cause: '', next: '' };
}
const live: ObjectsStatus = { kind: 'live' };
const loading: ObjectsStatus = { kind: 'loading' };
const forbidden: ObjectsStatus = { kind: 'unread', error: error('cluster.forbidden') };
const away: ObjectsStatus = { kind: 'unread', error: error('cluster.unreachable', 'It does not answer.') };

function sources(...statuses: readonly ObjectsStatus[]): readonly ListingSource[] {
  const names = ['Deployments', 'StatefulSets', 'Pods'];
  return statuses.map((status, index) => ({ what: names[index] ?? 'Jobs', namespace: 'shop', status }));
}

describe('what a person has to know about a listing', () => {
  it('is that it loads, until each source has answered', () => {
    expect(listingState(sources(live, loading)).state).toBe('loading');
    expect(listingState(sources(live, live))).toEqual({ state: 'ready' });
  });

  it('names what may not be listed, together', () => {
    expect(listingState(sources(live, forbidden, forbidden))).toEqual({
      state: 'partial',
      notes: ['You may not list StatefulSets and Pods in shop.'],
    });
  });

  it('tells namespaces apart, and what else stands against reading', () => {
    const state = listingState([
      { what: 'Pods', namespace: undefined, status: forbidden },
      { what: 'Jobs', namespace: 'shop', status: away },
      { what: 'Deployments', namespace: 'shop', status: live },
    ]);
    expect(state.notes).toEqual([
      'You may not list Pods in all namespaces.',
      'Jobs in shop could not be read: It does not answer.',
    ]);
  });

  it('is an error only when nothing could be read, and then the worst one', () => {
    expect(listingState(sources(forbidden, forbidden))).toMatchObject({
      state: 'error',
      error: { code: 'cluster.forbidden' },
    });
    expect(listingState(sources(forbidden, away)).error?.code).toBe('cluster.unreachable');
  });

  it('is since when it is old, from the oldest of what was lost', () => {
    const stale = (since: string): ObjectsStatus => ({
      kind: 'stale',
      since,
      error: error('cluster.timeout'),
    });
    expect(listingState(sources(stale('2026-01-02'), stale('2026-01-01'), forbidden))).toMatchObject({
      state: 'stale',
      since: '2026-01-01',
      notes: ['You may not list Pods in shop.'],
    });
  });

  it('is partial without what only adds to it, and never an error for that', () => {
    const side = { what: 'Leases', namespace: 'shop', status: forbidden, side: 'Sessions are not seen.' };
    expect(listingState([...sources(live), side])).toEqual({
      state: 'partial',
      notes: ['You may not list Leases in shop. Sessions are not seen.'],
    });
  });
});
