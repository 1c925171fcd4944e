import { describe, expect, it } from 'vitest';
import type { BatchItem, HelperConnection } from '../helper/connection.ts';
import { OperationResult_Outcome, type OperationResult } from '../helper/gen/slipway/helper/v1/helper.ts';
import { Batcher } from './batcher.ts';
import { PatchBases } from './blocks/patch-bases.ts';
import type { Change, FileEntry } from './change.ts';
import type { ApplyOutcome, FilePart } from './endpoint.ts';
import { sendFile } from './send-file.ts';

const mega = 1024 * 1024;
const fileOf = (size: number): FileEntry => ({
  kind: 'file',
  mode: 0o644,
  size,
  mtimeNs: 1n,
  ctimeNs: 1n,
  inode: 1n,
  links: 1,
});
const change: Extract<Change, { kind: 'put' }> = {
  kind: 'put',
  path: 'f',
  expected: fileOf(20 * mega),
  keep: 'side',
  why: 'propagate',
  source: fileOf(20 * mega),
  mode: 0o644,
};
const begin = (onBase: boolean): FilePart => ({ kind: 'begin', path: 'f', entry: fileOf(20 * mega), onBase });
const data = (length: number): FilePart => ({ kind: 'data', path: 'f', data: Buffer.alloc(length) });
const copy = (from: number, length: number): FilePart => ({ kind: 'copy', path: 'f', from, length });
const end: FilePart = { kind: 'end', path: 'f', digest: 'ab'.repeat(32) };

/** Sends parts; the helper answers the batch of a number with an outcome, and every other one well. */
async function send(
  parts: readonly FilePart[],
  options: { sliceBytes?: number; answer?: (number: number) => OperationResult_Outcome | undefined } = {},
): Promise<{ items: BatchItem[]; outcomes: ApplyOutcome[]; read: number; bases: PatchBases }> {
  const { sliceBytes = 256 * 1024 } = options;
  const items: BatchItem[] = [];
  const outcomes: ApplyOutcome[] = [];
  let batches = 0;
  const connection = {
    sliceBytes,
    apply: async (batch: readonly BatchItem[]): Promise<OperationResult[]> => {
      items.push(...batch);
      const answer = options.answer?.(batches++);
      await Promise.resolve();
      return batch.map(({ operation: { action } }) => {
        const put =
          action?.$case === 'patch' ? action.value.put : action?.$case === 'put' ? action.value : undefined;
        const outcome =
          answer ??
          (put?.final === true
            ? OperationResult_Outcome.OUTCOME_APPLIED
            : OperationResult_Outcome.OUTCOME_STAGED);
        return { outcome, now: undefined, error: 'why', inPlace: false, trashed: false };
      });
    },
  } as unknown as HelperConnection;
  const bases = new PatchBases();
  const batcher = new Batcher(
    connection,
    { read: () => never(), priority: 'bulk', onOutcome: (_change, outcome) => outcomes.push(outcome) },
    bases,
  );
  let read = 0;
  const content = (async function* (): AsyncGenerator<FilePart> {
    for (const part of parts) {
      read += 1;
      yield part;
    }
  })();
  await sendFile({ change, content, batcher, staging: 's', sliceBytes: () => sliceBytes });
  await batcher.finish();
  return { items, outcomes, read, bases };
}

async function* never(): AsyncGenerator<FilePart> {
  throw new Error('Nothing is to be read');
}

const putsOf = (items: readonly BatchItem[]): { offset: number; length: number; final: boolean }[] =>
  items.flatMap(({ operation: { action }, body }) => {
    if (action?.$case === 'put')
      return [{ offset: Number(action.value.offset), length: body?.length ?? 0, final: action.value.final }];
    if (action?.$case !== 'patch' || action.value.put === undefined) return [];
    const length = action.value.pieces.reduce((sum, piece) => sum + Number(piece.length), 0);
    return [{ offset: Number(action.value.put.offset), length, final: action.value.put.final }];
  });

describe('sending a file', () => {
  it('cuts it into slices that follow each other and are as small as the link wants', async () => {
    const { items, outcomes } = await send([begin(false), data(600_000), data(600_000), end], {
      sliceBytes: 100_000,
    });
    const puts = putsOf(items);
    expect(puts.map(({ length }) => length)).toEqual(Array<number>(12).fill(100_000));
    expect(puts.map(({ offset }) => offset)).toEqual(puts.map((_, index) => index * 100_000));
    expect(puts.filter(({ final }) => final)).toHaveLength(1);
    expect(outcomes).toMatchObject([{ kind: 'applied', bytes: 1_200_000 }]);
  });

  it('sends changes with little of the rest in one slice, and counts what travelled', async () => {
    const parts = [
      begin(true),
      copy(0, 8 * mega),
      copy(8 * mega, 3 * mega),
      data(4096),
      copy(11 * mega, 8 * mega),
      end,
    ];
    const { items, outcomes } = await send(parts);
    expect(items.every(({ operation }) => operation.action?.$case === 'patch')).toBe(true);
    const puts = putsOf(items);
    expect(puts.every(({ length }) => length <= 8 * mega)).toBe(true);
    expect(puts.reduce((offset, put) => (put.offset === offset ? offset + put.length : NaN), 0)).toBe(
      19 * mega + 4096,
    );
    expect(items.reduce((sum, { body }) => sum + (body?.length ?? 0), 0)).toBe(4096);
    expect(outcomes).toMatchObject([{ kind: 'applied', bytes: 4096 }]);
  });

  it('looks again, and sends it whole, when the parts do not make up the file', async () => {
    const parts = [begin(true), copy(0, mega), end];
    const { outcomes, bases } = await send(parts, { answer: () => OperationResult_Outcome.OUTCOME_REFUSED });
    expect(outcomes).toMatchObject([{ kind: 'source-changed', reason: 'changing' }]);
    expect(bases.of([change], () => Promise.resolve(undefined))).toBeUndefined();
    bases.arrived('f');
    expect(bases.of([change], () => Promise.resolve(undefined))?.size).toBe(1);
  });

  it('does not read on when the helper has given the file up', async () => {
    const parts = [begin(false), ...Array.from({ length: 100 }, () => data(200_000)), end];
    const { outcomes, read } = await send(parts, {
      sliceBytes: 100_000,
      answer: (number) => (number === 0 ? OperationResult_Outcome.OUTCOME_FAILED : undefined),
    });
    expect(outcomes).toMatchObject([{ kind: 'failed' }]);
    expect(read).toBeLessThan(20);
  });

  it('makes the helper drop what it has of a file that changes while it is read', async () => {
    const changed: FilePart = {
      kind: 'end',
      path: 'f',
      digest: '',
      error: { kind: 'changing', message: 'x' },
    };
    for (const onBase of [true, false]) {
      const { items, outcomes } = await send([begin(onBase), data(300_000), data(300_000), changed], {
        sliceBytes: 250_000,
      });
      expect(putsOf(items).at(-1)).toEqual({ offset: 0, length: 0, final: false });
      expect(outcomes).toMatchObject([{ kind: 'source-changed', reason: 'changing' }]);
    }
  });
});
