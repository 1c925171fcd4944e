import { expect, it } from 'vitest';
import { compressionLevel } from './compression-level.ts';

const mega = 1_000_000;

it.each([
  ['nothing is measured', undefined, undefined, undefined, 0],
  ['the link stands still', 0, undefined, undefined, 0],
  ['a local cluster', 400 * mega, undefined, undefined, 0],
  ['a fast network', 60 * mega, undefined, undefined, 0],
  ['a usual network', 12 * mega, undefined, undefined, 1],
  ['a slow VPN', 0.3 * mega, undefined, undefined, 6],
  ['a slow VPN and source code', 0.3 * mega, 100 * mega, 0.3, 6],
  ['a trickle and what hardly shrinks', 0.05 * mega, 100 * mega, 0.95, 0],
  ['a slow link and a machine with other work', 2 * mega, 6 * mega, 0.5, 1],
  ['a fast network and content that shrinks to a tenth', 60 * mega, 300 * mega, 0.1, 1],
  ['a usual network and a busy machine', 12 * mega, 8 * mega, 0.5, 0],
  ['content that does not shrink', 1 * mega, 100 * mega, 0.98, 0],
] as const)('compresses as far as it gains: %s', (_name, link, speed, ratio, level) => {
  expect(
    compressionLevel({ linkBytesPerSecond: link, compressBytesPerSecond: speed, ratio }),
  ).toBe(level);
});
