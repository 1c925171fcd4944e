import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { LineTooLongError, splitLines } from './lines.ts';

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let i = 0; start < bytes.length; i += 1) {
    const end = start + (sizes[i % sizes.length] ?? 1);
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function linesOf(chunks: AsyncIterable<Uint8Array>, maximum = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(chunks, maximum)) lines.push(line);
  return lines;
}

describe('lines', () => {
  it('are the same wherever the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '))),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          expect(await linesOf(cut(bytes, sizes))).toEqual(lines.filter((line) => line !== ''));
        },
      ),
    );
  });

  it('that a lost connection cut off are not given', async () => {
    expect(await linesOf(cut(Buffer.from('whole\nhal'), [4]))).toEqual(['whole']);
  });

  it('have a bound', async () => {
    await expect(linesOf(cut(Buffer.alloc(2000, 'x'), [100]))).rejects.toThrow(LineTooLongError);
  });
});
