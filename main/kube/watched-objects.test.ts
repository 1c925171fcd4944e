import { describe, expect, it } from 'vitest';
import type { WatchEvent } from './kube.ts';
import { WatchedObjects } from './watched-objects.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly value?: number;
}

const thing = (name: string, uid: string, value = 0): Thing => ({
  metadata: { name, namespace: 'n', uid },
  value,
});

function fold(...events: readonly WatchEvent<Thing>[]): WatchedObjects<Thing> {
  const watched = new WatchedObjects<Thing>();
  for (const event of events) watched.take(event);
  return watched;
}

describe('the state of a watch', () => {
  it('is what the events add up to', () => {
    const state = fold(
      { kind: 'reset', items: [thing('a', '1'), thing('b', '2')] },
      { kind: 'added', object: thing('c', '3') },
      { kind: 'modified', object: thing('a', '1', 7) },
      { kind: 'deleted', object: thing('b', '2', 9) },
    );
    expect([...state.objects.values()]).toEqual([thing('a', '1', 7), thing('c', '3')]);
  });

  it('keeps a new object of the same name when the old one is reported deleted late', () => {
    const state = fold(
      { kind: 'reset', items: [thing('a', 'new')] },
      { kind: 'deleted', object: thing('a', 'old') },
    );
    expect([...state.objects.keys()]).toEqual(['n/a']);
  });

  it('keeps its objects while stale, and drops what a new list no longer has', () => {
    const error = new Error('lost');
    const state = fold({ kind: 'reset', items: [thing('a', '1')] }, { kind: 'stale', error });
    expect(state.objects).toEqual(new Map([['n/a', thing('a', '1')]]));
    expect(state.stale).toBe(error);
    state.take({ kind: 'reset', items: [] });
    expect(state.objects.size).toBe(0);
    expect(state.stale).toBeUndefined();
  });

  it('takes ten thousand events on ten thousand objects without a stall', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => thing(`t${index}`, `${index}`));
    const state = fold({ kind: 'reset', items: many });
    const started = performance.now();
    for (const object of many) state.take({ kind: 'modified', object });
    // Copying the whole for each took a minute and a half.
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
