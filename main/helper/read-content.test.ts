import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryKind, SendContentRequest } from './gen/slipway/helper/v1/helper.ts';
import { ContentReader } from './read-content.ts';

const entry = (size: bigint) => ({ kind: EntryKind.ENTRY_KIND_FILE, mode: 0o644, size });
const part = (fields: Parameters<typeof SendContentRequest.fromPartial>[0]): SendContentRequest =>
  SendContentRequest.fromPartial({ id: 1n, path: 'f', ...fields });
const good = { digest: Buffer.alloc(32), error: '' };

async function read(parts: readonly SendContentRequest[], baseSize: bigint | undefined): Promise<number> {
  const [first, ...rest] = parts;
  if (first === undefined) throw new Error('no part');
  const iterator = (async function* () {
    yield* rest;
  })();
  let covered = 0;
  for await (const one of new ContentReader({ paths: ['f'], baseSize, first, parts: iterator }).parts()) {
    covered += one.data?.length ?? 0;
    if (one.copied === undefined) continue;
    expect(BigInt(one.copied.from + one.copied.length)).toBeLessThanOrEqual(baseSize ?? 0n);
    covered += one.copied.length;
  }
  return covered;
}

describe('contents from a helper', () => {
  const begin = part({ entry: entry(10n) });
  it('takes data and copies that add up', async () => {
    const parts = [begin, part({ copied: { from: 93n, length: 7n } }), part({ data: Buffer.alloc(3), end: good })];
    expect(await read(parts, 100n)).toBe(10);
  });

  const max = 2n ** 64n - 1n;
  it.each([
    ['a copy without a base', undefined, [part({ copied: { from: 0n, length: 10n }, end: good })]],
    ['an empty copy', 100n, [part({ copied: { from: 0n, length: 0n } })]],
    ['a copy beyond the base', 100n, [part({ copied: { from: 95n, length: 6n } })]],
    ['a copy from far beyond', 100n, [part({ copied: { from: max, length: 2n } })]],
    ['a copy of everything', 100n, [part({ copied: { from: 1n, length: max } })]],
    ['a copy with data', 100n, [part({ copied: { from: 0n, length: 5n }, data: Buffer.alloc(5), end: good })]],
    ['more than the file has', 100n, [part({ copied: { from: 0n, length: 8n } }), part({ data: Buffer.alloc(3) })]],
    ['less than the file has', 100n, [part({ copied: { from: 0n, length: 8n }, end: good })]],
    ['parts without end', 100n, [part({}), part({})]],
    ['another path', 100n, [part({ path: 'g', copied: { from: 0n, length: 10n }, end: good })]],
  ])('refuses %s', async (_name, baseSize, parts) => {
    await expect(read([begin, ...parts], baseSize)).rejects.toThrow();
  });

  it('never gives more than was announced, nor copies from outside', async () => {
    const size = fc.oneof(fc.bigInt(0n, 30n), fc.bigInt(0n, max));
    const some = fc.record(
      {
        data: fc.uint8Array({ maxLength: 12 }).map((data) => Buffer.from(data)),
        copied: fc.record({ from: size, length: size }),
        end: fc.constantFrom(good, { digest: Buffer.alloc(0), error: 'gone' }),
        entry: size.map(entry),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(some, { maxLength: 8 }), fc.option(fc.bigInt(0n, 40n)), async (rest, base) => {
        const covered = await read([begin, ...rest.map(part)], base ?? undefined).catch(() => 0);
        expect(covered).toBeLessThanOrEqual(10);
      }),
      { numRuns: 500 },
    );
  });
});
