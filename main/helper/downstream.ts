import {
  Server,
  ServerCredentials,
  status,
  type ConnectionInjector,
  type ServerDuplexStream,
  type ServerReadableStream,
} from '@grpc/grpc-js';
import type { Clock } from '../base/clock.ts';
import type { SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { checkChange, checkPath, checkSignature, checkProblem, checkRoot, ProtocolError, safeText } from './check-message.ts';
import type { ContentPart, HelperConnectionOptions, ReadContentOptions, RemoteScan, StreamLife } from './connection.ts';
import {
  DownstreamServiceService,
  type AttachRequest,
  type AttachResponse,
  type Changes,
  type Entry,
  type Hello,
  type RootIdentity,
  type SendContentRequest,
  type SendContentResponse,
  type SendScanRequest,
  type SendScanResponse,
  type Signature,
  type WatchState,
} from './gen/slipway/helper/v1/helper.ts';
import { widenSessions, widenWindows } from './grpc-windows.ts';
import { asConnectionError, helperLost, remotePathMissing, requestFailed, streamStalled } from './helper-errors.ts';
import type { HelperProcess } from './helper-process.ts';
import { Liveness } from './liveness.ts';
import { ContentReader } from './read-content.ts';
import { ScanCollector } from './scan-collector.ts';
import { streamDuplex } from './stream-duplex.ts';

/** The protocol that this app speaks. */
const protocol = 1;
/** Bytes of a message from the helper; its own bound on a part is 256 KiB and some. */
const messageLimit = 4 * 1024 * 1024;
/** Paths of one request, as on the helper's side; requests of one call that are under way. */
const pathsPerRequest = 512;
const requestsAtOnce = 4;
/** Changes of one message. */
const changesLimit = 10_000;

type Answer =
  | { readonly kind: 'scan'; readonly scan: RemoteScan }
  | { readonly kind: 'checksums'; readonly entries: ReadonlyMap<string, Entry> }
  | { readonly kind: 'signature'; readonly signature: Signature | undefined }
  | { readonly kind: 'content'; readonly reader: ContentReader };

interface Pending {
  readonly wants: Answer['kind'];
  readonly below: readonly string[];
  readonly paths: readonly string[];
  /** Bytes of the base that was sent with a content request. */
  readonly baseSize?: bigint | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: SlipwayError) => void;
}

type Wanted = Pick<Pending, 'wants' | 'below' | 'paths' | 'baseSize'>;

/** The app's end of `sync downstream`: a gRPC server on the helper's exec stream, with the helper as its one client. */
export class Downstream implements Disposable {
  readonly #process: HelperProcess;
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #injector: ConnectionInjector;
  readonly #liveness: Liveness;
  readonly #pending = new Map<bigint, Pending>();
  readonly #changes = new Emitter<Changes>();
  readonly #watchStates = new Emitter<WatchState>();
  readonly onChanges = this.#changes.event;
  readonly onWatchState = this.#watchStates.event;
  /** The helper's first message. */
  readonly hello: Promise<Hello>;
  #heardHello: ((hello: Hello) => void) | undefined;
  #configured: { resolve: (root: RootIdentity) => void; reject: (error: SlipwayError) => void } | undefined;
  #attached: ServerDuplexStream<AttachRequest, AttachResponse> | undefined;
  #lastId = 0n;
  #pingsUnanswered = 0;
  #pingSentAt = 0;
  #roundTripMs: number | undefined;
  #lastPing = 0n;
  #maxBytesPerSecond = 0n;
  #ended: SlipwayError | undefined;

  constructor(process: HelperProcess, clock: Clock) {
    this.#process = process;
    this.#clock = clock;
    this.hello = new Promise((resolve) => {
      this.#heardHello = resolve;
    });
    this.#liveness = new Liveness({
      clock,
      sendPing: () => this.#ping(),
      onStalled: () => process.end(streamStalled('downstream')),
    });
    this.#server = new Server({
      'grpc.max_receive_message_length': messageLimit,
      'grpc.max_send_message_length': messageLimit,
    });
    widenWindows(this.#server);
    this.#server.addService(DownstreamServiceService, {
      attach: (call: ServerDuplexStream<AttachRequest, AttachResponse>) => this.#attach(call),
      sendScan: (call: ServerReadableStream<SendScanRequest, SendScanResponse>, done: Done<SendScanResponse>) =>
        void this.#guard(this.#takeScan(call), done, () => ({})),
      sendContent: (call: ServerReadableStream<SendContentRequest, SendContentResponse>, done: Done<SendContentResponse>) =>
        void this.#guard(this.#takeContent(call), done, () => ({})),
    });
    this.#injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    widenSessions(this.#server);
    this.#injector.injectConnection(streamDuplex(process, () => this.#liveness.heard()));
    void process.ended.then((error) => this.#end(error));
  }

  /** Tells the helper what to watch; resolves when watching has begun. */
  configure(options: HelperConnectionOptions): Promise<RootIdentity> {
    return new Promise((resolve, reject) => {
      this.#configured = { resolve, reject };
      void this.#process.ended.then(reject);
      this.#send({
        $case: 'configure',
        value: {
          root: options.root,
          singleName: options.singleName ?? '',
          rules: [...options.rules],
          poll: options.poll,
          pollIntervalMs: 0,
        },
      });
    });
  }

  async scan(below: readonly string[], signal?: AbortSignal): Promise<RemoteScan> {
    const answer = await this.#ask({ wants: 'scan', below, paths: [] }, signal, (id) =>
      this.#send({ $case: 'scan', value: { id, below: [...below] } }),
    );
    if (answer.kind !== 'scan') throw new ProtocolError('Another answer than a scan came');
    return answer.scan;
  }

  async checksums(paths: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Entry>> {
    const entries = new Map<string, Entry>();
    const parts = chunks(paths, pathsPerRequest);
    const work = async (): Promise<void> => {
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
        const asked = part;
        const answer = await this.#ask({ wants: 'checksums', below: [], paths: asked }, signal, (id) =>
          this.#send({ $case: 'checksum', value: { id, paths: [...asked] } }),
        );
        if (answer.kind !== 'checksums') throw new ProtocolError('Another answer than checksums came');
        for (const [path, entry] of answer.entries) entries.set(path, entry);
      }
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, work));
    return entries;
  }

  /** Most bytes of contents a second from now on; undefined: no bound. */
  limit(bytesPerSecond: number | undefined): void {
    this.#maxBytesPerSecond = BigInt(Math.max(0, Math.ceil(bytesPerSecond ?? 0)));
  }

  get life(): StreamLife {
    return { silentMs: this.#liveness.silentMs, roundTripMs: this.#roundTripMs, ...this.#process.traffic };
  }

  async sign(path: string, signal?: AbortSignal): Promise<Signature | undefined> {
    const answer = await this.#ask({ wants: 'signature', below: [], paths: [path] }, signal, (id) =>
      this.#send({ $case: 'signature', value: { id, path } }),
    );
    if (answer.kind !== 'signature') throw new ProtocolError('Another answer than a signature came');
    return answer.signature;
  }

  async *readContent(paths: readonly string[], options: ReadContentOptions = {}): AsyncGenerator<ContentPart, void, void> {
    const { base, known, priority, signal } = options;
    const bulk = priority === 'bulk';
    for (const part of chunks(paths, pathsPerRequest)) {
      const wanted: Wanted = { wants: 'content', below: [], paths: part, baseSize: base?.entry?.size };
      const answer = await this.#ask(wanted, signal, (id) => {
        const value = { id, paths: [...part], base, known, bulk, maxBytesPerSecond: this.#maxBytesPerSecond };
        this.#send({ $case: 'content', value });
      });
      if (answer.kind !== 'content') throw new ProtocolError('Another answer than contents came');
      try {
        yield* answer.reader.parts(signal);
      } catch (error) {
        if (error instanceof ProtocolError) this.#process.end(asConnectionError(error));
        throw this.#ended ?? error;
      }
    }
  }

  #ask(wanted: Wanted, signal: AbortSignal | undefined, send: (id: bigint) => void): Promise<Answer> {
    signal?.throwIfAborted();
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = (this.#lastId += 1n);
      const onAbort = (): void => {
        this.#pending.delete(id);
        reject(signal?.reason as Error);
      };
      const finish = (): void => {
        this.#pending.delete(id);
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        ...wanted,
        resolve: (answer) => {
          finish();
          resolve(answer);
        },
        reject: (error) => {
          finish();
          reject(error);
        },
      });
      send(id);
    });
  }

  #send(message: NonNullable<AttachResponse['message']>): void {
    if (this.#ended === undefined) this.#attached?.write({ message });
  }

  #ping(): void {
    if (this.#attached === undefined || this.#pingsUnanswered > 0) return;
    this.#pingsUnanswered += 1;
    this.#pingSentAt = this.#clock.monotonic();
    this.#send({ $case: 'ping', value: { number: (this.#lastPing += 1n) } });
  }

  #attach(call: ServerDuplexStream<AttachRequest, AttachResponse>): void {
    call.on('error', () => undefined);
    if (this.#attached !== undefined) {
      call.destroy();
      this.#process.end(asConnectionError(new ProtocolError('It attached twice')));
      return;
    }
    this.#attached = call;
    call.on('data', (request: AttachRequest) => {
      try {
        this.#take(request);
      } catch (error) {
        this.#process.end(asConnectionError(error));
      }
    });
    // The process's own end says why; without one within a moment this is the reason.
    const onEnd = (): void => {
      void this.#clock.sleep(1_000).then(() => this.#process.end(helperLost('It ended its call.')));
    };
    call.on('end', onEnd);
    call.on('cancelled', onEnd);
  }

  #take({ message }: AttachRequest): void {
    if (this.#ended !== undefined) return;
    if (message?.$case !== 'hello' && this.#heardHello !== undefined) throw new ProtocolError('It did not begin with hello');
    switch (message?.$case) {
      case 'hello':
        if (this.#heardHello === undefined) throw new ProtocolError('It said hello twice');
        if (message.value.protocol !== protocol) throw new ProtocolError(`It speaks protocol ${message.value.protocol}`);
        this.#heardHello(message.value);
        this.#heardHello = undefined;
        return;
      case 'configured':
        if (this.#configured === undefined) throw new ProtocolError('It was configured twice');
        this.#configured.resolve(checkRoot(message.value.root));
        this.#configured = undefined;
        return;
      case 'changes':
        this.#changes.fire(checkChanges(message.value));
        return;
      case 'watchState':
        this.#watchStates.fire({ polling: message.value.polling, reason: safeText(message.value.reason) });
        return;
      case 'pong':
        if (message.value.number !== this.#lastPing || this.#pingsUnanswered === 0) {
          throw new ProtocolError('A pong came without a ping');
        }
        this.#pingsUnanswered = 0;
        this.#roundTripMs = this.#clock.monotonic() - this.#pingSentAt;
        return;
      case 'checksums':
        return this.#takeChecksums(message.value.id, message.value.entries);
      case 'signature':
        return this.#takeSignature(message.value.id, message.value.signature);
      case 'failed':
        return this.#takeFailed(message.value.id, safeText(message.value.message));
      case undefined:
        throw new ProtocolError('A message of an unknown kind came');
    }
  }

  #takeFailed(id: bigint, message: string): void {
    if (id === 0n && this.#configured !== undefined) {
      this.#configured.reject(remotePathMissing(message));
      this.#configured = undefined;
      return;
    }
    // An aborted request may still fail on the other side.
    this.#pending.get(id)?.reject(requestFailed(message));
  }

  #takeChecksums(id: bigint, answers: AttachRequestChanges): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return this.#refuseUnknown(id);
    const entries = new Map(answers.map((change) => checkChange(change, 'absent')).map(({ path, entry }) => [path, entry]));
    if (pending.wants !== 'checksums' || entries.size !== new Set(pending.paths).size || !pending.paths.every((path) => entries.has(path))) {
      throw new ProtocolError('Checksums came for other paths than asked for');
    }
    pending.resolve({ kind: 'checksums', entries });
  }

  #takeSignature(id: bigint, signature: Signature | undefined): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return this.#refuseUnknown(id);
    if (pending.wants !== 'signature') throw new ProtocolError('A signature came that was not asked for');
    pending.resolve({ kind: 'signature', signature: signature === undefined ? undefined : checkSignature(signature) });
  }

  /** An answer to a request that was aborted is dropped; one to a request that never was is an attack or a bug. */
  #refuseUnknown(id: bigint): void {
    if (id < 1n || id > this.#lastId) throw new ProtocolError(`An answer came to request ${id}, which was never made`);
  }

  async #takeScan(call: ServerReadableStream<SendScanRequest, SendScanResponse>): Promise<void> {
    let collector: ScanCollector | undefined;
    let id: bigint | undefined;
    for await (const part of call as AsyncIterable<SendScanRequest>) {
      if (id === undefined) {
        id = part.id;
        const pending = this.#pending.get(id);
        if (pending === undefined) {
          this.#refuseUnknown(id);
          throw new Aborted();
        }
        if (pending.wants !== 'scan') throw new ProtocolError('A scan came that was not asked for');
        collector = new ScanCollector(pending.below);
      }
      if (part.id !== id || !this.#pending.has(id)) throw new Aborted();
      collector?.add(part);
    }
    if (id === undefined || collector === undefined) throw new ProtocolError('An empty scan came');
    const scan = collector.finish();
    // Without its end a scan is void; the helper says by itself why it broke off.
    if (scan !== undefined) this.#pending.get(id)?.resolve({ kind: 'scan', scan });
  }

  async #takeContent(call: ServerReadableStream<SendContentRequest, SendContentResponse>): Promise<void> {
    const parts = (call as AsyncIterable<SendContentRequest>)[Symbol.asyncIterator]();
    const first = await parts.next();
    if (first.done === true) throw new ProtocolError('Empty contents came');
    const pending = this.#pending.get(first.value.id);
    if (pending === undefined) {
      this.#refuseUnknown(first.value.id);
      throw new Aborted();
    }
    if (pending.wants !== 'content') throw new ProtocolError('Contents came that were not asked for');
    const { paths, baseSize } = pending;
    const reader = new ContentReader({ paths, baseSize, first: first.value, parts });
    pending.resolve({ kind: 'content', reader });
    await reader.finished;
  }

  /** Answers a call when its work is done. A call of an aborted request is ended, one against the protocol ends all. */
  async #guard<T>(work: Promise<void>, done: Done<T>, answer: () => T): Promise<void> {
    try {
      await work;
      done(null, answer());
    } catch (error) {
      done({ code: status.CANCELLED, details: 'not wanted any more' }, null);
      if (error instanceof ProtocolError) this.#process.end(asConnectionError(error));
    }
  }

  #end(error: SlipwayError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#liveness[Symbol.dispose]();
    for (const pending of [...this.#pending.values()]) pending.reject(error);
    this.#injector.destroy();
    this.#server.forceShutdown();
  }

  [Symbol.dispose](): void {
    this.#end(asConnectionError(new Error('The connection was closed.')));
    this.#changes[Symbol.dispose]();
    this.#watchStates[Symbol.dispose]();
  }
}

type AttachRequestChanges = Changes['changes'];
type Done<T> = (error: { code: status; details: string } | null, value: T | null) => void;

/** The request was aborted here: its call is ended without a word. */
class Aborted extends Error {}

function checkChanges(changes: Changes): Changes {
  if (changes.changes.length > changesLimit || changes.problems.length > changesLimit) {
    throw new ProtocolError('A message has too many changes');
  }
  for (const change of changes.changes) checkChange(change, 'absent');
  for (const problem of changes.problems) checkProblem(problem);
  checkRoot(changes.root);
  return changes;
}

function chunks(paths: readonly string[], size: number): (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (const path of paths) checkPath(path);
  for (let start = 0; start < paths.length; start += size) parts.push(paths.slice(start, start + size));
  return parts;
}
