import { afterEach, beforeEach } from 'vitest';
import { z } from 'zod';
import { method, state, stream } from '../../contract/define.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import type { DownFrame, FramePort, UpFrame } from '../../contract/wire.ts';
import { createClient, type AttachableClient } from '../../renderer/ipc/remote-client.ts';
import { RemoteError } from '../../renderer/ipc/remote-error.ts';
import type { OpenTransport, Transport } from '../../tests/support/window-transports.ts';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import { createDispatcher } from './dispatcher.ts';
import type { CallContext, StreamPeer } from './handlers.ts';

const none = z.strictObject({});
const contract = {
  'test.double': method<number>()(z.strictObject({ number: z.number() })),
  'test.refuse': method<never>()(none),
  'test.bug': method<never>()(none),
  'test.wait': method<never>()(none),
  'test.echo': method<unknown>()(z.strictObject({ value: z.unknown() })),
  'test.names': state<Readonly<Record<string, unknown>>>()(z.strictObject({ of: z.string().max(16) })),
  'test.count': stream<number>()(z.strictObject({ to: z.number().int() }), z.never()),
  'test.bytes': stream<Uint8Array>()(none, z.instanceof(Uint8Array)),
} as const;

type Peer = StreamPeer<unknown, unknown>;

/** What is behind the windows, and what became of it. */
function makeMain() {
  const names = new Store<Readonly<Record<string, unknown>>>({ items: { a: { n: 1 }, b: { n: 2 } } });
  const log: string[] = [];
  const bugs: unknown[] = [];
  const sent = { count: 0 };
  const handlers = {
    'test.double': async ({ number }: { number: number }) => number * 2,
    'test.refuse': async () => {
      throw new SlipwayError({ code: 'cluster.gone', message: 'M.', cause: 'C.', next: 'N.' });
    },
    'test.bug': async () => {
      throw new TypeError('inner secret');
    },
    'test.wait': (_input: unknown, { signal }: CallContext) =>
      new Promise((_resolve, reject) => {
        log.push('waiting');
        signal.addEventListener('abort', () => {
          log.push('cancelled');
          reject(signal.reason as Error);
        });
      }),
    'test.echo': async ({ value }: { value: unknown }) => value,
    'test.names': ({ of }: { of: string }) => {
      if (of === 'nobody')
        throw new SlipwayError({ code: 'cluster.unknown', message: 'M.', cause: 'C.', next: 'N.' });
      if (of === 'bug') throw new Error('inner secret');
      return {
        get value() {
          return names.value;
        },
        onChange: names.onChange,
        [Symbol.dispose]: () => void log.push('unwatched'),
      };
    },
    'test.count': async ({ to }: { to: number }, peer: Peer) => {
      try {
        for (let number = 1; number <= to; number += 1) {
          await peer.send(number);
          sent.count = number;
        }
        if (to === 13)
          throw new SlipwayError({ code: 'stream.lost', message: 'M.', cause: 'C.', next: 'N.' });
        if (to === 14) throw new Error('inner secret');
      } finally {
        log.push(peer.signal.aborted ? 'aborted' : 'counted');
      }
    },
    'test.bytes': (_params: unknown, peer: Peer) =>
      new Promise<void>((resolve) => {
        peer.signal.addEventListener('abort', () => resolve());
        peer.onMessage((message) => {
          const bytes = message as Uint8Array;
          if (bytes.length === 0) resolve();
          // A part of a larger piece of memory, as sockets give it.
          else void peer.send(Buffer.from(bytes).map((byte) => 255 - byte));
        });
      }),
  };
  const dispatcher = createDispatcher(handlers, {
    contract,
    clock: systemClock,
    onBug: (error) => bugs.push(error),
  });
  return { names, log, bugs, sent, dispatcher };
}

/** The client without the types of the product's own contract. */
interface AnyClient {
  call(name: string, input: unknown, options?: { signal: AbortSignal }): Promise<unknown>;
  watch(
    name: string,
    params: unknown,
    listener: (state: { value: unknown; error: ErrorValue | undefined }) => void,
  ): Disposable;
  open(
    name: string,
    params: unknown,
    listener: {
      credit: number;
      onMessage: (message: unknown) => void;
      onEnd: () => void;
      onError: (error: ErrorValue) => void;
    },
  ): { send(message: unknown): void; grant(amount: number): void; close(): void };
}

/** The code of what a call rejected with. */
export const codeOf = (error: unknown): string =>
  error instanceof RemoteError ? error.value.code : String(error);

/** What a call rejects with; rejects when it does not. */
export const failure = (promise: Promise<unknown>): Promise<ErrorValue> =>
  promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: unknown) => (error as RemoteError).value,
  );

/** A window with main behind it, new for each test. */
export class ContractStage {
  readonly main: ReturnType<typeof makeMain>;
  /** Everything that main sent. */
  readonly frames: DownFrame[] = [];
  readonly clientBugs: unknown[] = [];
  readonly client: AnyClient;
  readonly #attachable: AttachableClient;
  readonly #transport: Transport;
  /** Frames that the window does not get to see. */
  lose: (frame: DownFrame) => boolean = () => false;
  #port: FramePort<UpFrame, DownFrame> | undefined;

  static async make(open: OpenTransport): Promise<ContractStage> {
    const main = makeMain();
    const stage = new ContractStage(main, await open(main.dispatcher));
    await stage.connect();
    return stage;
  }

  private constructor(main: ReturnType<typeof makeMain>, transport: Transport) {
    this.main = main;
    this.#transport = transport;
    this.#attachable = createClient({ lingerMs: 0, onBug: (error) => this.clientBugs.push(error) });
    this.client = this.#attachable;
  }

  get port(): FramePort<UpFrame, DownFrame> {
    if (this.#port === undefined) throw new Error('The window is not connected');
    return this.#port;
  }

  async connect(): Promise<void> {
    const dialled = await this.#transport.dial();
    this.#port = dialled;
    this.#attachable.attach({
      get bufferedBytes() {
        return dialled.bufferedBytes;
      },
      send: (frame) => dialled.send(frame),
      onClose: (listener) => dialled.onClose(listener),
      close: () => dialled.close(),
      onFrame: (listener) =>
        dialled.onFrame((frame) => {
          this.frames.push(frame);
          if (!this.lose(frame)) listener(frame);
        }),
    });
  }

  /** Sends what no client would. */
  rawSend(frame: unknown): void {
    this.port.send(frame as UpFrame);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#transport[Symbol.asyncDispose]());
  }
}

/** A stage of each test's own; call it within `describe`. */
export function eachOnStage(open: OpenTransport): { readonly current: ContractStage } {
  let current: ContractStage | undefined;
  beforeEach(async () => {
    current = await ContractStage.make(open);
  });
  afterEach(async () => {
    await current?.[Symbol.asyncDispose]();
    current = undefined;
  });
  return {
    get current() {
      if (current === undefined) throw new Error('No test runs');
      return current;
    },
  };
}
