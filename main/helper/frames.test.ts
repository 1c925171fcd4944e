import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameDecoder } from './frames.ts';

describe('frames', () => {
  it('come back as they were written, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), fc.infiniteStream(fc.integer({ min: 1, max: 97 })), (messages, cuts) => {
        const stream = Buffer.concat(messages.map((message) => encodeFrame(message)));
        const decoder = new FrameDecoder();
        const found: Buffer[] = [];
        for (let at = 0; at < stream.length; ) {
          const length = Number(cuts.next().value);
          found.push(...decoder.push(stream.subarray(at, at + length)));
          at += length;
        }
        expect(found).toEqual(messages.map((message) => Buffer.from(message)));
        expect(decoder.pending).toBe(0);
      }),
    );
  });

  it('are refused by their length before anything is kept', () => {
    expect(() => new FrameDecoder(100).push(Buffer.from([0, 0, 0, 101]))).toThrow('101 bytes');
    expect(() => new FrameDecoder().push(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toThrow('4294967295 bytes');
  });
});
