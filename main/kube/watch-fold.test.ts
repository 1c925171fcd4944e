import { describe, expect, it } from 'vitest';
import type { WatchEvent } from './kube.ts';
import { foldWatch, unknownState } from './watch-fold.ts';
import type { WatchState } from './watch-fold.ts';

interface Thing {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly value?: number;
}

const thing = (name: string, uid: string, value = 0): Thing => ({
  metadata: { name, namespace: 'n', uid },
  value,
});

function fold(...events: readonly WatchEvent<Thing>[]): WatchState<Thing> {
  return events.reduce<WatchState<Thing>>((state, event) => foldWatch(state, event), unknownState);
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
    const stale = fold({ kind: 'reset', items: [thing('a', '1')] }, { kind: 'stale', error });
    expect(stale).toEqual({ objects: new Map([['n/a', thing('a', '1')]]), stale: error });
    expect(foldWatch(stale, { kind: 'reset', items: [] })).toEqual({ objects: new Map() });
  });

  it('never changes the state before', () => {
    const before = fold({ kind: 'reset', items: [thing('a', '1')] });
    foldWatch(before, { kind: 'deleted', object: thing('a', '1') });
    expect(before.objects.size).toBe(1);
  });
});
