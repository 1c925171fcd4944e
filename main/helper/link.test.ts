import { describe, expect, it } from 'vitest';
import { LinkMeter, windowBounds } from './link.ts';

describe('the measured link', () => {
  it('has a window of a second of its throughput, within bounds', () => {
    const meter = new LinkMeter();
    for (let i = 0; i < 50; i += 1) meter.acknowledged(1_000_000, 1_000, 0);
    expect(meter.window).toBeCloseTo(1_000_000, -3);
    for (let i = 0; i < 50; i += 1) meter.acknowledged(100_000, 10_000, 0);
    expect(meter.window).toBe(windowBounds.least);
    for (let i = 0; i < 50; i += 1) meter.acknowledged(1_000_000, 1, 0);
    expect(meter.window).toBe(windowBounds.most);
  });

  it('compresses on a slow link, not where the container is slow', () => {
    const slow = new LinkMeter();
    expect(slow.compresses(100_000)).toBe(false);
    slow.acknowledged(1_000_000, 1_000, 10);
    expect(slow.compresses(100_000)).toBe(true);
    expect(slow.compresses(100)).toBe(false);
    const busy = new LinkMeter();
    busy.acknowledged(1_000_000, 1_000, 990);
    expect(busy.compresses(100_000)).toBe(false);
  });

  it('rests after content that does not compress', () => {
    const meter = new LinkMeter();
    meter.acknowledged(1_000_000, 1_000, 0);
    meter.compressed(100, 99);
    expect(Array.from({ length: 9 }, () => meter.compresses(100_000))).toEqual([...Array<boolean>(8).fill(false), true]);
  });

  it('learns nothing from small batches', () => {
    const meter = new LinkMeter();
    meter.acknowledged(4_096, 20, 0);
    expect(meter.compresses(100_000)).toBe(false);
  });
});
