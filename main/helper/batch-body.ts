import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { BatchItem } from './connection.ts';
import { Compression, type Operation } from './gen/slipway/helper/v1/helper.ts';

const compress = promisify(gzip);

export interface BatchBody {
  readonly bytes: Buffer;
  readonly compression: Compression;
  readonly sha256: Buffer;
  /** Before compression. */
  readonly packed: number;
}

/** Packs the bodies of a batch's puts and patches as a tar whose entry names are the operations' indexes. */
export async function packBody(items: readonly BatchItem[], level: number): Promise<BatchBody> {
  const archive = pack();
  const chunks: Buffer[] = [];
  archive.on('data', (chunk) => {
    chunks.push(chunk as Buffer);
  });
  const ended = new Promise<void>((resolve, reject) => {
    archive.on('end', resolve);
    archive.on('error', reject);
  });
  let any = false;
  for (const [index, item] of items.entries()) {
    if (!hasBody(item.operation)) continue;
    any = true;
    const body = item.body ?? new Uint8Array();
    const content = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    archive.entry({ name: String(index), size: content.length, mtime: new Date(0) }, content);
  }
  archive.finalize();
  await ended;
  const plain = any ? Buffer.concat(chunks) : Buffer.alloc(0);
  const smaller = level > 0 && any ? await compress(plain, { level }) : plain;
  const useful = smaller.length < plain.length;
  const bytes = useful ? smaller : plain;
  return {
    bytes,
    compression: useful ? Compression.COMPRESSION_GZIP : Compression.COMPRESSION_UNSPECIFIED,
    sha256: createHash('sha256').update(bytes).digest(),
    packed: plain.length,
  };
}

function hasBody({ action }: Operation): boolean {
  return action?.$case === 'put' || action?.$case === 'patch';
}
