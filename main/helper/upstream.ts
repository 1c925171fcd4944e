import type { Clock } from '../base/clock.ts';
import type { SlipwayError } from '../base/errors.ts';
import { packBody } from './batch-body.ts';
import { checkEntry, checkProblem, checkRoot, ProtocolError } from './check-message.ts';
import type { BatchItem, HelperConnectionOptions, StreamLife } from './connection.ts';
import { encodeFrame, FrameDecoder } from './frames.ts';
import {
  OperationResult_Outcome,
  UpstreamRequest,
  UpstreamResponse,
  type BatchResult,
  type Compression,
  type OperationResult,
  type TrashAnswer,
  type UpstreamReady,
} from './gen/slipway/helper/v1/helper.ts';
import { asConnectionError, fromFatal, helperProtocol, streamStalled } from './helper-errors.ts';
import type { HelperProcess } from './helper-process.ts';
import { LinkMeter, sliceFor } from './link.ts';
import { Liveness } from './liveness.ts';
import { noDebt, spend, waitFor } from './token-bucket.ts';

/** Bytes of the bodies of one batch. */
export const batchLimit = 1024 * 1024;
/** Operations of one batch. */
export const operationLimit = 10_000;

interface Queued {
  readonly items: readonly BatchItem[];
  readonly resolve: (results: readonly OperationResult[]) => void;
  readonly reject: (error: SlipwayError) => void;
}

interface InFlight extends Queued {
  readonly bytes: number;
  readonly sentAt: number;
  /** It left while others were under way: its acknowledgement tells of the throughput. */
  readonly pipelined: boolean;
}

type PongListener = (pong: { readonly wallClockNs: bigint; readonly roundTripMs: number }) => void;

/**
 * The app's end of `sync upstream`. Batches leave in order, interactive ones before bulk ones that have not left,
 * as long as what is not acknowledged fits the window. The helper answers in the order in which they left.
 */
export class Upstream implements Disposable {
  readonly #process: HelperProcess;
  readonly #clock: Clock;
  readonly #decoder = new FrameDecoder();
  readonly #meter = new LinkMeter();
  readonly #liveness: Liveness;
  readonly #queues: Record<'interactive' | 'bulk', Queued[]> = { interactive: [], bulk: [] };
  readonly #inFlight = new Map<bigint, InFlight>();
  readonly #trashWaiters: ((answer: TrashAnswer) => void)[] = [];
  #bytesInFlight = 0;
  #lastAcknowledged = 0;
  #lastNumber = 0n;
  #lastPing = 0n;
  #pingSentAt: number | undefined;
  #roundTripMs: number | undefined;
  #pongListener: PongListener | undefined;
  #readyListener: ((ready: UpstreamReady) => void) | undefined;
  #pumping = false;
  #ended: SlipwayError | undefined;
  #bytesPerSecond: number | undefined;
  #debt = noDebt;
  #pause: Disposable | undefined;

  constructor(process: HelperProcess, clock: Clock) {
    this.#process = process;
    this.#clock = clock;
    this.#liveness = new Liveness({
      clock,
      sendPing: () => this.#ping(),
      onStalled: () => process.end(streamStalled('upstream')),
    });
    process.stream.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    void process.ended.then((error) => this.#end(error));
  }

  /** Says hello; the helper answers when the root is open and no older process can write to it. */
  hello(options: HelperConnectionOptions, pair: string): Promise<UpstreamReady> {
    return new Promise((resolve) => {
      this.#readyListener = resolve;
      this.#send({
        $case: 'hello',
        value: {
          root: options.root,
          createRoot: options.createRoot,
          singleFile: options.singleName !== undefined,
          singleName: options.singleName ?? '',
          writeMode: options.writeMode,
          pair,
          epoch: BigInt(options.epoch),
          trashCapBytes: BigInt(options.trashCapBytes),
        },
      });
    });
  }

  /** The container's clock minus ours in milliseconds. */
  measureClock(): Promise<number> {
    return new Promise((resolve) => {
      this.#pongListener = ({ wallClockNs, roundTripMs }) =>
        resolve(Number(wallClockNs) / 1e6 - (this.#clock.now() - roundTripMs / 2));
      this.#ping();
    });
  }

  apply(items: readonly BatchItem[], priority: 'interactive' | 'bulk'): Promise<readonly OperationResult[]> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (items.length === 0) return Promise.resolve([]);
    const bytes = items.reduce((sum, item) => sum + (item.body?.length ?? 0), 0);
    if (bytes > batchLimit || items.length > operationLimit) {
      throw new Error(`A batch of ${items.length} operations and ${bytes} bytes is too large`);
    }
    return new Promise((resolve, reject) => {
      this.#queues[priority].push({ items, resolve, reject });
      void this.#pump();
    });
  }

  /** Most bytes a second from now on; undefined: no bound. */
  limit(bytesPerSecond: number | undefined): void {
    this.#bytesPerSecond = bytesPerSecond !== undefined && bytesPerSecond > 0 ? bytesPerSecond : undefined;
  }

  /** Bytes of bodies that one batch should have at most, so that an interactive one waits less than a second for it. */
  get sliceBytes(): number {
    return sliceFor(this.#meter.window, this.#bytesPerSecond);
  }

  get life(): StreamLife {
    return { silentMs: this.#liveness.silentMs, roundTripMs: this.#roundTripMs, ...this.#process.traffic };
  }

  listTrash(): Promise<TrashAnswer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#trashWaiters.push(resolve);
      void this.#process.ended.then(reject);
      this.#send({ $case: 'trash', value: {} });
    });
  }

  /** Sends what fits the window, one batch at a time so that an interactive one can still overtake. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#ended === undefined && (this.#bytesInFlight === 0 || this.#bytesInFlight < this.#meter.window)) {
        const priority = this.#queues.interactive.length > 0 ? 'interactive' : 'bulk';
        if (this.#isTooEarly(priority)) break;
        const next = this.#queues[priority].shift();
        if (next === undefined) break;
        await this.#sendBatch(next);
      }
    } catch (error) {
      this.#process.end(asConnectionError(error));
    } finally {
      this.#pumping = false;
    }
  }

  /** Whether the bandwidth allowed is used up; then the pump goes on when it is not any more. */
  #isTooEarly(priority: 'interactive' | 'bulk'): boolean {
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    if (this.#bytesPerSecond === undefined) return false;
    const wait = waitFor(this.#debt, this.#bytesPerSecond, priority, this.#clock.monotonic());
    if (wait <= 0) return false;
    this.#pause = this.#clock.timer(wait, () => void this.#pump());
    return true;
  }

  async #sendBatch(queued: Queued): Promise<void> {
    const size = queued.items.reduce((sum, item) => sum + (item.body?.length ?? 0), 0);
    const level = this.#meter.compressionFor(size);
    const pipelined = this.#inFlight.size > 0;
    const number = (this.#lastNumber += 1n);
    // Known as in flight before it is packed: an end of the process meanwhile rejects it.
    this.#inFlight.set(number, { ...queued, bytes: 0, sentAt: this.#clock.monotonic(), pipelined });
    const began = this.#clock.monotonic();
    const body = await packBody(queued.items, level);
    if (this.#ended !== undefined) return;
    if (level > 0) this.#meter.compressed(body.packed, body.bytes.length, level, this.#clock.monotonic() - began);
    const operations = queued.items.map((item) => item.operation);
    const compression: Compression = body.compression;
    const value = { number, operations, body: body.bytes, compression, bodySha256: body.sha256 };
    const frame = encodeRequest({ $case: 'batch', value });
    this.#inFlight.set(number, { ...queued, bytes: frame.length, sentAt: this.#clock.monotonic(), pipelined });
    if (this.#bytesPerSecond !== undefined) {
      this.#debt = spend(this.#debt, this.#bytesPerSecond, frame.length, this.#clock.monotonic());
    }
    this.#bytesInFlight += frame.length;
    this.#process.write(frame);
  }

  #send(request: Request): void {
    this.#process.write(encodeRequest(request));
  }

  #ping(): void {
    if (this.#pingSentAt !== undefined) return;
    this.#pingSentAt = this.#clock.monotonic();
    this.#send({ $case: 'ping', value: { number: (this.#lastPing += 1n) } });
  }

  #receive(chunk: Buffer): void {
    if (this.#ended !== undefined) return;
    this.#liveness.heard();
    this.#process.received(chunk.length);
    try {
      for (const message of this.#decoder.push(chunk)) this.#take(decode(message));
    } catch (error) {
      this.#process.end(helperProtocol(error instanceof Error ? error.message : String(error), error));
    }
  }

  #take({ response }: UpstreamResponse): void {
    switch (response?.$case) {
      case 'ready':
        checkRoot(response.value.root);
        if (this.#readyListener === undefined) throw new ProtocolError('It was ready twice');
        this.#readyListener(response.value);
        this.#readyListener = undefined;
        return;
      case 'batch':
        return this.#takeResult(response.value);
      case 'pong':
        if (response.value.number !== 0n) this.#takePong(response.value);
        return;
      case 'trash':
        return this.#takeTrash(response.value);
      case 'fatal':
        this.#process.end(fromFatal(response.value));
        return;
      case undefined:
        throw new ProtocolError('A message of an unknown kind came');
    }
  }

  #takeResult(result: BatchResult): void {
    const [oldest] = this.#inFlight;
    if (oldest === undefined || oldest[0] !== result.number || oldest[1].bytes === 0) {
      throw new ProtocolError(`Batch ${result.number} was answered, which was not the next one`);
    }
    const batch = oldest[1];
    if (result.results.length !== batch.items.length) {
      throw new ProtocolError(`${result.results.length} results came for ${batch.items.length} operations`);
    }
    for (const [index, one] of result.results.entries()) checkResult(one, batch.items[index]);
    this.#inFlight.delete(result.number);
    this.#bytesInFlight -= batch.bytes;
    const now = this.#clock.monotonic();
    this.#meter.acknowledged({
      bytes: batch.bytes,
      elapsedMs: now - Math.max(batch.sentAt, this.#lastAcknowledged),
      busyMs: Number(result.busyNs) / 1e6,
      pipelined: batch.pipelined,
    });
    this.#lastAcknowledged = now;
    batch.resolve(result.results);
    void this.#pump();
  }

  #takePong(pong: { readonly number: bigint; readonly wallClockNs: bigint }): void {
    if (pong.number !== this.#lastPing || this.#pingSentAt === undefined) throw new ProtocolError('A pong came without a ping');
    const roundTripMs = this.#clock.monotonic() - this.#pingSentAt;
    this.#pingSentAt = undefined;
    this.#roundTripMs = roundTripMs;
    this.#pongListener?.({ wallClockNs: pong.wallClockNs, roundTripMs });
    this.#pongListener = undefined;
  }

  #takeTrash(answer: TrashAnswer): void {
    const waiter = this.#trashWaiters.shift();
    if (waiter === undefined) throw new ProtocolError('A list of the trash came that nobody asked for');
    for (const item of answer.items) {
      checkProblem({ path: item.path, message: '' });
      checkEntry(item.entry, 'present');
    }
    waiter(answer);
  }

  #end(error: SlipwayError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#pause?.[Symbol.dispose]();
    this.#liveness[Symbol.dispose]();
    const waiting = [...this.#inFlight.values(), ...this.#queues.interactive.splice(0), ...this.#queues.bulk.splice(0)];
    this.#inFlight.clear();
    for (const batch of waiting) batch.reject(error);
  }

  [Symbol.dispose](): void {
    this.#end(asConnectionError(new Error('The connection was closed.')));
  }
}

type Request = NonNullable<UpstreamRequest['request']>;

function encodeRequest(request: Request): Buffer {
  return encodeFrame(UpstreamRequest.encode({ request }).finish());
}

function decode(message: Buffer): UpstreamResponse {
  try {
    return UpstreamResponse.decode(message);
  } catch (error) {
    throw new ProtocolError(`A message cannot be decoded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const outcomeOfSlice: ReadonlySet<number> = new Set([
  OperationResult_Outcome.OUTCOME_STAGED,
  OperationResult_Outcome.OUTCOME_MISMATCH,
  OperationResult_Outcome.OUTCOME_FAILED,
  OperationResult_Outcome.OUTCOME_REFUSED,
]);

/** An outcome that the operation can have, with a well-formed entry where one is told. */
function checkResult(result: OperationResult, item: BatchItem | undefined): void {
  const { outcome } = result;
  const action = item?.operation.action;
  const put = action?.$case === 'patch' ? action.value.put : action?.$case === 'put' ? action.value : undefined;
  const slice = put !== undefined && !put.final;
  const known = slice
    ? outcomeOfSlice.has(outcome)
    : outcome >= OperationResult_Outcome.OUTCOME_APPLIED &&
      outcome <= OperationResult_Outcome.OUTCOME_REFUSED &&
      outcome !== OperationResult_Outcome.OUTCOME_STAGED;
  if (!known) throw new ProtocolError(`An operation has the outcome ${outcome}`);
  if (result.now !== undefined) checkEntry(result.now, 'absent');
  const tells = outcome === OperationResult_Outcome.OUTCOME_APPLIED || outcome === OperationResult_Outcome.OUTCOME_MISMATCH;
  if (tells && result.now === undefined) throw new ProtocolError('A result does not tell what is there now');
  if (result.error.length > 10_000) throw new ProtocolError('A result has a text that is too long');
}
