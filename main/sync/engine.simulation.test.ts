import { describe, expect, it } from 'vitest';
import { runHistory } from './simulation/history.fixture.ts';
import { keptSeeds } from './simulation/kept-seeds.fixture.ts';

/** `npm run simulate -- --seeds N` runs more, `npm run simulate -- --first N --trace` tells one. */
const seeds = 2000;
const portion = 250;

describe('the engine under faults', { retry: 0, timeout: 600_000 }, () => {
  for (const { seed, what } of keptSeeds)
    it(`history ${seed}: ${what}`, async () => expect(await runHistory(seed)).toEqual([]));

  for (let first = 1; first <= seeds; first += portion) {
    const last = first + portion - 1;
    it(`keeps its promises in histories ${first} to ${last}`, async () => {
      const wrongs: string[] = [];
      for (let seed = first; seed <= last; seed++)
        for (const wrong of await runHistory(seed))
          wrongs.push(`npm run simulate -- --first ${seed} --trace: ${wrong}`);
      expect(wrongs).toEqual([]);
    });
  }
});
