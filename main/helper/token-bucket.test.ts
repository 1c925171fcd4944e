import { describe, expect, it } from 'vitest';
import { debtAt, noDebt, spend, waitFor } from './token-bucket.ts';

describe('the bandwidth limit', () => {
  it('keeps slices of any size to the rate', () => {
    for (const slice of [1000, 16_384, 1_000_000]) {
      let [debt, now, sent] = [noDebt, 5000, 0];
      while (now < 65_000) {
        now += waitFor(debt, 100_000, 'bulk', now);
        debt = spend(debt, 100_000, slice, now);
        sent += slice;
      }
      const rate = sent / ((now - 5000) / 1000);
      expect(rate).toBeGreaterThan(90_000);
      expect(rate).toBeLessThan(120_000);
    }
  });

  it.each([
    ['nothing sent yet', 0, 0, 0],
    ['a tenth of a second ahead', 10_000, 0, 0],
    ['half a second ahead', 50_000, 400, 0],
    ['three seconds ahead', 300_000, 2900, 2000],
  ])('lets an edit go before bulk: %s', (_name, bytes, bulk, interactive) => {
    const debt = { bytes, at: 1000 };
    expect(waitFor(debt, 100_000, 'bulk', 1000)).toBe(bulk);
    expect(waitFor(debt, 100_000, 'interactive', 1000)).toBe(interactive);
  });

  it('never owes less than nothing, and takes a clock that stands still', () => {
    expect(debtAt({ bytes: 10, at: 0 }, 100, 60_000)).toEqual({ bytes: 0, at: 60_000 });
    expect(debtAt({ bytes: 10, at: 500 }, 100, 400)).toEqual({ bytes: 10, at: 400 });
  });
});
