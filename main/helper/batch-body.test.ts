import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { packBody } from './batch-body.ts';
import type { BatchItem } from './connection.ts';
import { Compression, Entry, Put } from './gen/slipway/helper/v1/helper.ts';

function put(body: Uint8Array | undefined): BatchItem {
  const operation = {
    path: 'a',
    expected: Entry.fromPartial({}),
    action: { $case: 'put', value: Put.fromPartial({}) },
  } as const;
  return { operation, ...(body === undefined ? {} : { body }) };
}

const deletion: BatchItem = {
  operation: { path: 'b', expected: Entry.fromPartial({}), action: { $case: 'delete', value: {} } },
};

async function unpacked(tar: Buffer): Promise<readonly (readonly [string, Buffer])[]> {
  const found: (readonly [string, Buffer])[] = [];
  const archive = extract();
  archive.end(tar);
  for await (const entry of archive) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    expect(entry.header).toMatchObject({ type: 'file', mode: 0o644, uid: 0, gid: 0 });
    found.push([entry.header.name, Buffer.concat(parts)]);
  }
  return found;
}

describe('the body of a batch', () => {
  const sizes = [0, 1, 511, 512, 513, 70_000, 1024 * 1024];
  const items = [
    deletion,
    ...sizes.map((size) => put(Buffer.alloc(size, 'x'))),
    put(undefined),
    deletion,
    put(Buffer.from([0, 255])),
  ];

  it('is a tar whose names are the indexes of what has content', async () => {
    const body = await packBody(items, 0);
    expect(body.sha256).toEqual(createHash('sha256').update(body.bytes).digest());
    expect((await unpacked(body.bytes)).map(([name, { length }]) => [name, length])).toEqual([
      ...sizes.map((size, index) => [String(index + 1), size]),
      ['8', 0],
      ['10', 2],
    ]);
    expect((await unpacked(body.bytes)).at(-1)?.[1]).toEqual(Buffer.from([0, 255]));
  });

  it('is what tar itself reads', async () => {
    const { bytes } = await packBody(items, 0);
    const { stdout, status, stderr } = spawnSync('tar', ['-tf', '-'], { input: bytes, encoding: 'utf8' });
    expect([stdout.trim().split('\n'), status, stderr]).toEqual([
      ['1', '2', '3', '4', '5', '6', '7', '8', '10'],
      0,
      '',
    ]);
  });

  it('is compressed where that makes it smaller, and empty without content', async () => {
    const small = await packBody(items, 1);
    expect(small.compression).toBe(Compression.COMPRESSION_GZIP);
    expect(gunzipSync(small.bytes).equals((await packBody(items, 0)).bytes)).toBe(true);
    expect((await packBody([deletion], 1)).bytes.length).toBe(0);
  });
});
