import { describe, expect, it } from 'vitest';
import type { ErrorValue } from '../../contract/errors.ts';
import type { Listing } from '../../contract/listing.ts';
import { listingLook } from './listing-look.ts';

const error: ErrorValue = { code: 'cluster.timeout', message: 'm', cause: 'c', next: 'n' };
const items = { web: {} };
const since = '2026-03-03T12:03:00Z';

describe('how a list is shown', () => {
  const cases: readonly [string, Listing<unknown> | undefined, ErrorValue | undefined, unknown][] = [
    ['nothing known yet', undefined, undefined, { kind: 'loading' }],
    ['cannot be had', undefined, error, { kind: 'failed', error }],
    ['loading', { state: 'loading', items: {} }, undefined, { kind: 'loading' }],
    ['loading, then lost', { state: 'loading', items: {} }, error, { kind: 'failed', error }],
    ['loading with items', { state: 'loading', items }, undefined, { kind: 'shown', notes: [] }],
    ['empty', { state: 'ready', items: {} }, undefined, { kind: 'shown', notes: [] }],
    ['ready', { state: 'ready', items }, undefined, { kind: 'shown', notes: [] }],
    ['partial', { state: 'partial', items, notes: ['x'] }, undefined, { kind: 'shown', notes: ['x'] }],
    ['failed', { state: 'error', items: {}, error }, undefined, { kind: 'failed', error }],
    [
      'failed, with items from before',
      { state: 'error', items, error },
      undefined,
      { kind: 'stale', notes: [], since: undefined, error },
    ],
    ['stale', { state: 'stale', items, since, error }, undefined, { kind: 'stale', notes: [], since, error }],
  ];
  it.each(cases)('%s', (_name, listing, told, expected) => {
    expect(listingLook(listing, told)).toEqual(expected);
  });
});
