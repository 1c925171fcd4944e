import type { CoreV1Event } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { eventsOf, maximumEvents } from './object-events.ts';

function event(kind: string, name: string, more: object = {}): CoreV1Event {
  return {
    involvedObject: { kind, name },
    reason: 'R',
    message: 'm',
    lastTimestamp: '2026-01-01T10:00:00Z',
    ...more,
  } as unknown as CoreV1Event;
}

function objects(
  events: readonly CoreV1Event[],
  kind = 'Deployment',
  pods: readonly string[] = [],
): string[] {
  return Object.values(eventsOf(events, { kind, name: 'web', pods: new Set(pods) }).items).map(
    ({ object }) => object,
  );
}

describe('the events of a workload', () => {
  it.each([
    ['Deployment', 'web', 'Deployment', true],
    ['ReplicaSet', 'web-6d4f9c7b8', 'Deployment', true],
    ['Pod', 'web-6d4f9c7b8-x2x4z', 'Deployment', true],
    ['Deployment', 'web-dev', 'Deployment', false],
    ['ReplicaSet', 'web-dev-6d4f9c7b8', 'Deployment', false],
    ['Pod', 'web-dev-6d4f9c7b8-x2x4z', 'Deployment', false],
    ['Pod', 'website-0', 'Deployment', false],
    ['Pod', 'web-0', 'StatefulSet', true],
    ['Pod', 'web-x2x4z', 'DaemonSet', true],
    ['Service', 'web', 'Deployment', false],
  ])('%s/%s is one of a %s: %s', (kind, name, of, belongs) => {
    expect(objects([event(kind, name)], of)).toEqual(belongs ? [`${kind}/${name}`] : []);
  });

  it('belong to it when they are about a pod that it has', () => {
    expect(objects([event('Pod', 'odd')], 'Deployment', ['odd'])).toEqual(['Pod/odd']);
  });

  it('are there once, with how often they were told and when the last time', () => {
    const events = [
      event('Deployment', 'web', { count: 2 }),
      event('Deployment', 'web', { count: 3, lastTimestamp: '2026-01-01T11:00:00Z' }),
    ];
    expect(
      Object.values(eventsOf(events, { kind: 'Deployment', name: 'web', pods: new Set() }).items),
    ).toEqual([
      {
        at: '2026-01-01T11:00:00.000Z',
        warning: false,
        object: 'Deployment/web',
        reason: 'R',
        message: 'm',
        count: 5,
      },
    ]);
  });

  it('leave out what makes no sense, and name it', () => {
    const odd = event('Deployment', 'web', { metadata: { name: 'odd', namespace: 'n' }, message: 7 });
    const { items, unreadable } = eventsOf([odd, event('Deployment', 'web')], {
      ...{ kind: 'Deployment', name: 'web' },
      pods: new Set<string>(),
    });
    expect(Object.values(items)).toHaveLength(1);
    expect(unreadable).toEqual(['n/odd']);
  });

  it('are the latest, of whichever fields their time is in', () => {
    const events = Array.from({ length: 500 }, (_, index) =>
      event('Deployment', 'web', {
        message: `m${index}`,
        lastTimestamp: null,
        eventTime: new Date(index * 1000).toISOString(),
      }),
    );
    const shown = Object.values(eventsOf(events, { kind: 'Deployment', name: 'web', pods: new Set() }).items);
    expect(shown).toHaveLength(maximumEvents);
    expect(shown[0]?.message).toBe('m499');
  });
});
