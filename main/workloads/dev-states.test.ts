import { describe, expect, it } from 'vitest';
import { keys, managedByValue } from '../session/names.ts';
import { sessionOf } from '../session/objects.ts';
import type { LeaseObject } from '../session/lease.ts';
import { devStates } from './dev-states.ts';

function object(target: string, user: string, session = 'abc'): LeaseObject {
  return {
    metadata: {
      namespace: 'shop',
      labels: { [keys.managedBy]: managedByValue, [keys.session]: session },
      annotations: {
        [keys.target]: target,
        [keys.user]: user,
        [keys.machine]: 'laptop',
        [keys.createdAt]: '2026-01-01T10:00:00Z',
      },
    },
  };
}

function states(options: {
  readonly leases?: readonly LeaseObject[];
  readonly devObjects?: readonly LeaseObject[];
  readonly alive?: boolean;
  readonly own?: string;
  readonly leasesKnown?: boolean;
}) {
  return devStates({
    cluster: 'c',
    leases: options.leases ?? [],
    devObjects: options.devObjects ?? [],
    live: { sessionOn: ({ name }) => (name === 'web' ? options.own : undefined) },
    session: {
      keys,
      sessionOf,
      judgeLease: () => ({ kind: options.alive === false ? 'dead' : 'live', ageMs: 0 }),
    },
    user: 'anna',
    serverNow: 0,
    leasesKnown: options.leasesKnown ?? true,
  }).get('shop/Deployment/web');
}

describe('the session on a workload', () => {
  const mine = object('Deployment/web', 'anna');
  const others = object('Deployment/web', 'ben');

  it.each([
    ['mine while its Lease is alive', { leases: [mine] }, 'mine'],
    ["somebody else's while its Lease is alive", { leases: [others] }, 'other'],
    ['dead when its Lease is', { leases: [others], alive: false }, 'dead'],
    ['dead when its Lease is, mine or not', { leases: [mine], alive: false }, 'dead'],
    ['dead without any Lease', { devObjects: [mine] }, 'dead'],
    [
      'not called dead as long as Leases are not known',
      { devObjects: [others], leasesKnown: false },
      'other',
    ],
    ['told by the Lease before the dev object', { devObjects: [mine], leases: [mine] }, 'mine'],
    [
      'mine when it is of this app, however late its heartbeat',
      { leases: [mine], alive: false, own: 's1' },
      'mine',
    ],
  ] as const)('is %s', (_name, options, state) => {
    expect(states(options)).toMatchObject({ state, since: '2026-01-01T10:00:00Z' });
  });

  it('names the holder, and the session of this app', () => {
    expect(states({ leases: [others] })).toMatchObject({ holder: 'ben@laptop' });
    expect(states({ leases: [mine], own: 's1' })).toMatchObject({ session: 's1' });
  });

  it('is not read from what no session made, nor from what names no workload', () => {
    expect(states({ leases: [{ metadata: { ...mine.metadata, labels: {} } }] })).toBeUndefined();
    expect(states({ leases: [object('web', 'anna')] })).toBeUndefined();
  });
});
