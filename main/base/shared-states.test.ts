import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { maximumLingering, SharedStates } from './shared-states.ts';
import { Store } from './store.ts';

/** Timers that ring when told to. */
function rig() {
  const timers = new Set<() => void>();
  const running: string[] = [];
  const clock = {
    ...systemClock,
    timer(_milliseconds: number, callback: () => void) {
      timers.add(callback);
      return { [Symbol.dispose]: () => void timers.delete(callback) };
    },
  };
  const shared = new SharedStates(clock, (params: { readonly name: string }) => {
    running.push(params.name);
    const end = (): void => void running.splice(running.indexOf(params.name), 1);
    return { store: new Store(params.name), [Symbol.dispose]: end };
  });
  const ring = (): void => {
    for (const timer of [...timers]) timer();
  };
  return { shared, running, ring, timers };
}

describe('states that are shared', () => {
  it('run once for equal params, and until the last watcher has been away for a while', () => {
    const { shared, running, ring } = rig();
    const first = shared.watch({ name: 'a' });
    const second = shared.watch({ name: 'a' });
    expect(running).toEqual(['a']);
    expect(second.value).toBe('a');
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    ring();
    expect(running).toEqual(['a']);
    second[Symbol.dispose]();
    const third = shared.watch({ name: 'a' });
    ring();
    expect(running).toEqual(['a']);
    third[Symbol.dispose]();
    ring();
    expect(running).toEqual([]);
    expect(shared.get({ name: 'a' })).toBeUndefined();
  });

  it('do not pile up when somebody looks at one after the other', () => {
    const { shared, running } = rig();
    for (let index = 0; index < 1000; index += 1) shared.watch({ name: `n${index}` })[Symbol.dispose]();
    expect(running).toHaveLength(maximumLingering);
    expect(running.at(-1)).toBe('n999');
  });

  it('end with their owner, watched or not', async () => {
    const { shared, running, timers } = rig();
    const late = shared.watch({ name: 'a' });
    shared.watch({ name: 'b' })[Symbol.dispose]();
    await shared[Symbol.asyncDispose]();
    expect(running).toEqual([]);
    late[Symbol.dispose]();
    expect(timers.size).toBe(0);
  });
});
