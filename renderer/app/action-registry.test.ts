import { describe, expect, it, vi } from 'vitest';
import { ActionRegistry } from './action-registry.ts';

const action = (id: string, run = () => undefined as void, more = {}) => ({
  id,
  label: id,
  category: 'Test',
  run,
  ...more,
});

describe('the registry of actions', () => {
  it('runs the latest version, and tells nobody while all looks the same', () => {
    const registry = new ActionRegistry();
    const owner = Symbol('page');
    const told = vi.fn();
    const latest = vi.fn();
    registry.set(owner, [action('a')]);
    registry.subscribe(told);
    const before = registry.all;
    registry.set(owner, [action('a', latest)]);
    expect(registry.run('a')).toBe(true);
    expect([latest.mock.calls.length, told.mock.calls.length, registry.all === before]).toEqual([1, 0, true]);
  });

  it('tells of actions that come, go or can no longer be done', () => {
    const registry = new ActionRegistry();
    const [one, other] = [Symbol('one'), Symbol('other')];
    const seen: string[][] = [];
    registry.subscribe(() =>
      seen.push(registry.all.map(({ id, enabled }) => `${id}${enabled === false ? '-' : ''}`)),
    );
    registry.set(one, [action('a')]);
    registry.set(other, [action('b')]);
    registry.set(other, [action('b', undefined, { enabled: false })]);
    registry.delete(one);
    expect(seen).toEqual([['a'], ['a', 'b'], ['a', 'b-'], ['b-']]);
  });

  it('prefers what came last under one name, and runs nothing that is off or gone', () => {
    const registry = new ActionRegistry();
    const [frame, page] = [vi.fn(), vi.fn()];
    registry.set(Symbol('frame'), [action('a', frame)]);
    registry.set(Symbol('page'), [action('a', page), action('off', page, { enabled: false })]);
    expect([registry.run('a'), registry.run('off'), registry.run('gone')]).toEqual([true, false, false]);
    expect([frame.mock.calls.length, page.mock.calls.length]).toEqual([0, 1]);
  });
});
