import { describe, expect, it } from 'vitest';
import { PlanStore, type StoredPlan } from './plan-store.ts';

function plan(id: string): StoredPlan {
  return { flight: { id } } as unknown as StoredPlan;
}

describe('the plans that are kept', () => {
  it('are the last fifty', () => {
    const store = new PlanStore({ monotonic: () => 0 });
    for (let index = 0; index < 60; index += 1) store.keep(plan(`p${index}`));
    expect(store.planOf('p9')).toBeUndefined();
    expect(store.planOf('p10')?.flight.id).toBe('p10');
    expect(store.planOf('p59')).toBeDefined();
  });

  it('are forgotten after a quarter of an hour', () => {
    let now = 0;
    const store = new PlanStore({ monotonic: () => now });
    store.keep(plan('p'));
    now = 15 * 60_000;
    expect(store.planOf('p')).toBeDefined();
    now += 1;
    expect(store.planOf('p')).toBeUndefined();
  });

  it('have names that nobody guesses', () => {
    const store = new PlanStore({ monotonic: () => 0 });
    expect(store.newId()).toMatch(/^[0-9a-f]{32}$/);
    expect(store.newId()).not.toBe(store.newId());
  });
});
