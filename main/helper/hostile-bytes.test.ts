import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { ExecStream } from '../kube/kube.ts';
import { Downstream } from './downstream.ts';
import { encodeFrame } from './frames.ts';
import { UpstreamResponse, type Change } from './gen/slipway/helper/v1/helper.ts';
import { HelperProcess } from './helper-process.ts';
import { ScanCollector } from './scan-collector.ts';
import { putItem } from './testing/items.ts';
import { Upstream } from './upstream.ts';

const runs = Number(process.env['HOSTILE_RUNS'] ?? 150);

function helper(): { readonly process: HelperProcess; readonly stdin: PassThrough; readonly stdout: PassThrough } {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  stdin.resume();
  const stream: ExecStream = {
    stdin,
    stdout,
    canHalfClose: true,
    status: new Promise(() => undefined),
    resize: () => undefined,
    kill: () => stdout.destroy(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { process: new HelperProcess(stream, systemClock), stdin, stdout };
}

/** Bytes as an attacker writes them: noise, lengths that lie, and messages that are nearly right. */
const hostile = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => encodeFrame(bytes)),
  fc
    .record({ number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), busyNs: fc.bigInt({ min: 0n, max: 2n ** 63n }), count: fc.nat(5) })
    .map(({ number, busyNs, count }) =>
      encodeFrame(
        UpstreamResponse.encode({
          response: {
            $case: 'batch',
            value: { number, busyNs, results: Array.from({ length: count }, () => ({ outcome: 1, error: '', inPlace: false, trashed: false })) },
          },
        } as unknown as UpstreamResponse).finish(),
      ),
    ),
);

it('whatever a helper says on its upstream, what was sent is never taken for applied', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 6 }), async (chunks) => {
      const { process, stdout } = helper();
      const upstream = new Upstream(process, systemClock);
      const applying = upstream.apply([putItem('a', 'x')], 'bulk').then(
        () => 'applied',
        () => 'rejected',
      );
      for (const chunk of chunks) if (!stdout.destroyed) stdout.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
      upstream[Symbol.dispose]();
      expect(await applying).toBe('rejected');
    }),
    { numRuns: runs },
  );
});

it('whatever a helper says on its downstream, it is given up or waited for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 6 }), fc.boolean(), async (chunks, preface) => {
      const { process, stdout } = helper();
      const downstream = new Downstream(process, systemClock);
      if (preface) stdout.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
      for (const chunk of chunks) if (!stdout.destroyed) stdout.write(chunk);
      const hello = await Promise.race([downstream.hello.then(() => 'hello'), sleep(2, 'nothing')]);
      expect(hello).toBe('nothing');
      downstream[Symbol.dispose]();
    }),
    { numRuns: Math.ceil(runs / 3) },
  );
});

it('a scan that does not end is given up before it fills the memory', () => {
  const collector = new ScanCollector([], 16 * 1024 ** 2);
  const entry = { kind: 1, mode: 0o644, size: 1n, mtimeNs: 1n, ctimeNs: 1n, inode: 1n, digest: Buffer.alloc(0), target: '', device: 1n, links: 1 };
  const folder = `${'d'.repeat(200)}/`.repeat(15);
  let count = 0;
  const fill = (): void => {
    // Ten million entries, if it were let.
    for (; count < 10_000_000; ) {
      const entries = Array.from({ length: 500 }, (): Change => ({ path: `${folder}${count++}`, entry }) as Change);
      collector.add({ id: 1n, entries, problems: [], end: undefined });
    }
  };
  // Paths of 3 KiB each: by the number of entries alone they would take 6 GB.
  expect(fill).toThrow(/names of more than/);
  expect(count).toBeLessThan(10_000);
});
