import { describe, expect, it } from 'vitest';
import { LinkMeter, sliceBounds, sliceFor, windowBounds, type Acknowledgement } from './link.ts';

function after(bytes: number, elapsedMs: number, busyMs: number, pipelined = false): Acknowledgement {
  return { bytes, elapsedMs, busyMs, pipelined };
}

describe('the measured link', () => {
  it('has a window of a second of its throughput, within bounds', () => {
    const meter = new LinkMeter();
    for (let i = 0; i < 50; i += 1) meter.acknowledged(after(1_000_000, 1_000, 0));
    expect(meter.window).toBeCloseTo(1_000_000, -3);
    for (let i = 0; i < 50; i += 1) meter.acknowledged(after(100_000, 10_000, 0));
    expect(meter.window).toBe(windowBounds.least);
    for (let i = 0; i < 50; i += 1) meter.acknowledged(after(1_000_000, 1, 0));
    expect(meter.window).toBe(windowBounds.most);
  });

  it('compresses on a slow link, not where the container is slow', () => {
    const slow = new LinkMeter();
    expect(slow.compressionFor(100_000)).toBe(0);
    slow.acknowledged(after(1_000_000, 1_000, 10));
    expect(slow.compressionFor(100_000)).toBeGreaterThan(0);
    expect(slow.compressionFor(100)).toBe(0);
    const busy = new LinkMeter();
    busy.acknowledged(after(1_000_000, 1_000, 990));
    expect(busy.compressionFor(100_000)).toBe(0);
  });

  it('rests after content that does not compress', () => {
    const meter = new LinkMeter();
    meter.acknowledged(after(1_000_000, 1_000, 0));
    meter.compressed(100, 99, 1, 1);
    expect(Array.from({ length: 9 }, () => meter.compressionFor(100_000) > 0)).toEqual([...Array<boolean>(8).fill(false), true]);
  });

  it('learns from small slices that followed each other', () => {
    const meter = new LinkMeter();
    for (let i = 0; i < 50; i += 1) meter.acknowledged(after(16_384, 160, 0, true));
    expect(meter.window).toBeCloseTo(102_400, -2);
  });

  it.each([
    [4 * 1024 * 1024, undefined, sliceBounds.most],
    [1024 * 1024, undefined, 256 * 1024],
    [windowBounds.least, undefined, sliceBounds.least],
    [4 * 1024 * 1024, 1_000_000, 125_000],
    [4 * 1024 * 1024, 1000, sliceBounds.least],
  ])('cuts files into slices that an edit need not wait long for: window %i, limit %s', (window, limit, slice) => {
    expect(sliceFor(window, limit)).toBe(slice);
  });

  it('learns nothing from small batches', () => {
    const meter = new LinkMeter();
    meter.acknowledged(after(4_096, 20, 0));
    expect(meter.compressionFor(100_000)).toBe(0);
  });
});
