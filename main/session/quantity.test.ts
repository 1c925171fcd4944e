import { describe, expect, it } from 'vitest';
import { formatQuantity, parseQuantity } from './quantity.ts';

describe('a quantity', () => {
  // What `resource.ParseQuantity` of k8s.io/apimachinery v0.34 makes of them, in billionths.
  it.each<[string, bigint | undefined]>([
    ['0', 0n],
    ['1', 1000000000n],
    ['500m', 500000000n],
    ['1.5', 1500000000n],
    ['0.5Gi', 536870912000000000n],
    ['1.5Gi', 1610612736000000000n],
    ['100Mi', 104857600000000000n],
    ['2e3', 2000000000000n],
    ['2E3', 2000000000000n],
    ['1E', 1000000000000000000000000000n],
    ['1n', 1n],
    ['1u', 1000n],
    ['0.1n', 1n],
    ['1.0000000001', 1000000001n],
    ['-1', -1000000000n],
    ['-500m', -500000000n],
    ['+3', 3000000000n],
    ['1k', 1000000000000n],
    ['1G', 1000000000000000000n],
    ['1P', 1000000000000000000000000n],
    ['1Ei', 1152921504606846976000000000n],
    ['12e-3', 12000000n],
    ['.5', 500000000n],
    ['5.', 5000000000n],
    ['1e', undefined],
    ['1KiB', undefined],
    ['', undefined],
    ['abc', undefined],
    ['1 Gi', undefined],
    ['1Mi ', undefined],
    ['0x10', undefined],
    ['1ki', undefined],
    ['1.2.3', undefined],
    // Larger than anything real; the server takes it, and a hostile one could make us count for long.
    ['1e400', undefined],
  ])('of %j is read as the server reads it', (text, expected) => {
    expect(parseQuantity(text)).toBe(expected);
  });

  it.each([
    ['1536Mi', '1536Mi'],
    ['2048Mi', '2Gi'],
    ['1500m', '1500m'],
    ['2', '2'],
    ['-1Gi', '-1Gi'],
    ['1n', '1n'],
  ])('of %j is shown as %j', (text, shown) => {
    expect(formatQuantity(parseQuantity(text) ?? 0n)).toBe(shown);
  });
});
