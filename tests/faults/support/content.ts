import { createHash } from 'node:crypto';

const marker = 'slipway-fault ';
let count = 0;

/** A content that nobody wrote before and that tells by itself whether it is whole; `size` is that of its body. */
export function freshContent(size = 200, what = 'v'): Buffer {
  count += 1;
  const body = Buffer.alloc(size);
  // Not compressible to nothing, and cheap: megabytes of it are made.
  let state = (count * 2654435761 + process.pid) >>> 0;
  for (let index = 0; index + 4 <= size; index += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    body.writeUInt32LE(state, index);
  }
  const head = `${marker}${what} ${process.pid}.${count} ${size} ${sha256(body)}\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Whether something read is one whole content of {@link freshContent}. */
export function isWhole(content: Buffer): boolean {
  const end = content.indexOf(10);
  if (end < 0 || !content.subarray(0, marker.length).equals(Buffer.from(marker))) return false;
  const [size, digest] = content.subarray(0, end).toString('latin1').split(' ').slice(-2);
  const body = content.subarray(end + 1);
  return body.length === Number(size) && sha256(body) === digest;
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
