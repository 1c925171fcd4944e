import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { BlockMatcher } from './block-matcher.ts';
import {
  BlockIndex,
  SignatureMaker,
  blockBytesFor,
  isSignature,
  type BlockSignature,
} from './block-signature.ts';

const entry = (size: number): BlockSignature['entry'] => ({
  kind: 'file',
  mode: 0o644,
  size,
  mtimeNs: 1n,
  ctimeNs: 1n,
  inode: 1n,
  links: 1,
});

function content(seed: number, length: number): Buffer {
  let state = (seed * 2654435761) | 1;
  const made = Buffer.alloc(length);
  for (let index = 0; index < length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    made[index] = state;
  }
  return made;
}

function sign(old: Buffer): BlockSignature {
  const maker = new SignatureMaker(old.length);
  maker.add(old);
  return maker.finish(entry(old.length));
}

/** Makes `changed` from parts; tells how many bytes of it were not copied. */
function travel(old: Buffer, changed: Buffer, signature = sign(old), readsOf = 200_000): number {
  const matcher = new BlockMatcher(new BlockIndex(signature), changed.length);
  const made: Buffer[] = [];
  let sent = 0;
  const take = (parts: ReturnType<BlockMatcher['filled']>): void => {
    for (const part of parts) {
      if (part.kind === 'copy') {
        expect(part.from + part.length).toBeLessThanOrEqual(old.length);
        made.push(old.subarray(part.from, part.from + part.length));
      } else {
        sent += part.data.length;
        made.push(part.data);
      }
    }
  };
  for (let at = 0; at < changed.length;) {
    const { room } = matcher;
    const count = changed.copy(room, 0, at, Math.min(changed.length, at + Math.min(readsOf, room.length)));
    at += count;
    take(matcher.filled(count));
  }
  take(matcher.finish());
  expect(Buffer.concat(made).equals(changed)).toBe(true);
  return sent;
}

describe('block transfer', () => {
  const block = 16 * 1024;
  const old = content(1, 40 * block + 77);
  const edited = Buffer.from(old);
  content(2, 4096).copy(edited, 20 * block + 5);
  const join = (...parts: Buffer[]): Buffer => Buffer.concat(parts);
  const rows: readonly (readonly [string, Buffer, number])[] = [
    ['nothing changed', old, 0],
    ['4 KiB in the middle', edited, block],
    ['appended', join(old, content(4, 3000)), 3000 + block],
    ['inserted at the start', join(content(5, 100_001), old), 100_001],
    [
      'inserted in the middle',
      join(old.subarray(0, 9 * block + 9), content(6, 50), old.subarray(9 * block + 9)),
      2 * block,
    ],
    [
      'removed from the middle',
      join(old.subarray(0, 9 * block + 9), old.subarray(12 * block + 1)),
      2 * block,
    ],
    ['cut', old.subarray(0, 11 * block + 3), block],
    ['halves exchanged', join(old.subarray(20 * block), old.subarray(0, 20 * block)), 2 * block],
    ['empty', Buffer.alloc(0), 0],
    ['shorter than the window', old.subarray(0, 31), 31],
    ['something else', content(7, 5 * block), 5 * block],
    ['the first byte gone', old.subarray(1), block],
  ];
  it.each(rows)('sends only what changed: %s', (_name, changed, most) => {
    expect(travel(old, changed)).toBeLessThanOrEqual(most);
    expect(travel(old, changed, sign(old), 7001)).toBeLessThanOrEqual(most);
  });

  it('gives the whole content back, whatever the signature says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 120_000 }),
        fc.uint8Array({ maxLength: 64 }),
        fc.array(fc.tuple(fc.nat(100_000), fc.nat(40_000)), { maxLength: 6 }),
        fc.integer({ min: 1, max: 90_000 }),
        (size, noise, pieces, readsOf) => {
          const base = content(size, size);
          const honest = sign(base);
          const changed = Buffer.concat([
            noise,
            ...pieces.map(([from, length]) => base.subarray(from, from + length)),
          ]);
          travel(base, changed, honest, readsOf);
          // A lie makes a copy of the wrong place at worst, and it stays within the base.
          const lie = { ...honest, blocks: Buffer.from(honest.blocks).fill(noise[0] ?? 0) };
          const matcher = new BlockMatcher(new BlockIndex(lie), changed.length);
          let covered = 0;
          const take = (parts: ReturnType<BlockMatcher['filled']>): void => {
            for (const part of parts) {
              covered += part.kind === 'copy' ? part.length : part.data.length;
              if (part.kind === 'copy') expect(part.from + part.length).toBeLessThanOrEqual(size);
            }
          };
          for (let at = 0; at < changed.length;) {
            const count = changed.copy(matcher.room, 0, at);
            at += count;
            take(matcher.filled(count));
          }
          take(matcher.finish());
          expect(covered).toBe(changed.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not search long where all blocks begin alike', () => {
    const alike = Buffer.alloc(200 * block);
    for (let index = 0; index < 200; index++) content(index + 1, 8).copy(alike, (index + 1) * block - 8);
    travel(alike, join(Buffer.alloc(2 * 1024 * 1024), content(9, 10)));
  });

  it('makes the signature that the helper makes', () => {
    // The digest that the helper's test names, of a sequence that 53 bits hold.
    const exact = Buffer.from(
      Array.from(
        { length: 100_000 },
        (_, index) => Number(((BigInt(index) * BigInt(index)) / 128n) ^ BigInt(index)) & 255,
      ),
    );
    expect(createHash('sha256').update(sign(exact).blocks).digest('hex')).toBe(
      '3319404ac616e889d575a42dafbc1a482c8919b8c17fbf6a97ed8920324420d3',
    );
  });

  it.each([
    [100, block, 0],
    [100, block, 16],
    [100, block, 7],
    [100, 0, 8],
    [100, 20_000, 8],
    [100, 8192, 8],
    [100, 2 * 1024 * 1024, 8],
    [2 ** 52, 1024 * 1024, 2 * 1024 * 1024],
    [100, Number.NaN, 8],
  ])('refuses what is no signature: %i bytes in blocks of %i, %i bytes', (size, blockBytes, bytes) => {
    expect(isSignature({ entry: entry(size), blockBytes, blocks: Buffer.alloc(bytes) })).toBe(false);
  });

  it('takes longer blocks for larger files, as the helper does', () => {
    expect(
      [0, 8 * 2 ** 20, 256 * 2 ** 20, 2 ** 30, 64 * 2 ** 30, 2 ** 50].map(
        (size) => blockBytesFor(size) / 1024,
      ),
    ).toEqual([16, 16, 16, 64, 1024, 1024]);
  });
});
