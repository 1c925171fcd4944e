import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { ExecStream } from '../kube/kube.ts';
import { encodeFrame, FrameDecoder } from './frames.ts';
import {
  EntryKind,
  OperationResult_Outcome,
  UpstreamRequest,
  UpstreamResponse,
  type OperationResult,
} from './gen/slipway/helper/v1/helper.ts';
import { HelperProcess } from './helper-process.ts';
import { putItem } from './testing/items.ts';
import { Upstream } from './upstream.ts';

type Response = NonNullable<UpstreamResponse['response']>;

/** An upstream whose helper answers each batch as the test says. */
function talkTo(answer: (number: bigint) => readonly Response[] | Buffer): { upstream: Upstream; process: HelperProcess } {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const decoder = new FrameDecoder();
  stdin.on('data', (chunk: Buffer) => {
    for (const message of decoder.push(chunk)) {
      const { request } = UpstreamRequest.decode(message);
      if (request?.$case !== 'batch') continue;
      const said = answer(request.value.number);
      if (Buffer.isBuffer(said)) stdout.write(said);
      else for (const response of said) stdout.write(encodeFrame(UpstreamResponse.encode({ response }).finish()));
    }
  });
  const stream: ExecStream = {
    stdin,
    stdout,
    canHalfClose: true,
    status: new Promise(() => undefined),
    resize: () => undefined,
    kill: () => stdout.destroy(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const process = new HelperProcess(stream, systemClock);
  return { process, upstream: new Upstream(process, systemClock) };
}

const file = {
  kind: EntryKind.ENTRY_KIND_FILE,
  mode: 0o644,
  size: 1n,
  mtimeNs: 1n,
  ctimeNs: 1n,
  inode: 1n,
  digest: Buffer.alloc(32),
  target: '',
  device: 1n,
  links: 1,
};
const applied: OperationResult = { outcome: OperationResult_Outcome.OUTCOME_APPLIED, now: file, error: '', inPlace: false, trashed: false };
const result = (number: bigint, results: OperationResult[]): Response => ({ $case: 'batch', value: { number, results, busyNs: 1n } });

it('an honest answer is taken', async () => {
  const { upstream } = talkTo((number) => [result(number, [applied])]);
  expect(await upstream.apply([putItem('a', 'x')], 'bulk')).toEqual([applied]);
  upstream[Symbol.dispose]();
});

it.each<[string, (number: bigint) => readonly Response[] | Buffer]>([
  ['another batch', (number) => [result(number + 1n, [applied])]],
  ['an answer twice', (number) => [result(number, [applied]), result(number, [applied])]],
  ['too many results', (number) => [result(number, [applied, applied])]],
  ['no results', (number) => [result(number, [])]],
  ['an outcome that is none', (number) => [result(number, [{ ...applied, outcome: 77 as OperationResult_Outcome }])]],
  ['a slice of a whole file', (number) => [result(number, [{ ...applied, outcome: OperationResult_Outcome.OUTCOME_STAGED }])]],
  ['success without saying what is there', (number) => [result(number, [{ ...applied, now: undefined }])]],
  ['an entry that is none', (number) => [result(number, [{ ...applied, now: { ...file, digest: Buffer.alloc(3) } }])]],
  ['a pong that nobody asked for', () => [{ $case: 'pong', value: { number: 5n, wallClockNs: 0n } }]],
  ['a second ready', () => [{ $case: 'ready', value: { build: '', root: { device: 1n, inode: 1n, kind: 2 }, umask: 0, uid: 0 } }]],
  ['a frame without end', () => Buffer.from([0xff, 0xff, 0xff, 0xff])],
  ['noise', () => Buffer.from([0, 0, 0, 3, 0xff, 0xff, 0xff])],
])('a helper that sends %s is refused', async (_what, answer) => {
  const { upstream, process } = talkTo(answer);
  const applying = upstream.apply([putItem('a', 'x')], 'bulk').catch((error: unknown) => error);
  expect(await process.ended).toMatchObject({ code: 'helper.protocol' });
  await applying;
  await expect(upstream.apply([putItem('b', 'x')], 'bulk')).rejects.toMatchObject({ code: 'helper.protocol' });
});
