import { expect, it } from 'vitest';
import { inParallel } from './in-parallel.ts';

it('keeps the order and the bound', async () => {
  let open = 0;
  let most = 0;
  const results = await inParallel([5, 1, 3, 2, 4], 2, async (value) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, value));
    open--;
    return value * 10;
  });
  expect(results).toEqual([50, 10, 30, 20, 40]);
  expect(most).toBe(2);
});

it('is nothing for nothing', async () => {
  expect(await inParallel([], 4, async () => 1)).toEqual([]);
});
