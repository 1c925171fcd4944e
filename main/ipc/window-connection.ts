import type { AnyContract } from '../../contract/define.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import { upFrame, wireLimits, type DownFrame, type FramePort, type UpFrame } from '../../contract/wire.ts';
import { assertNever } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import { fitsIn } from './frame-size.ts';
import type { CallContext, StateSource, StreamPeer } from './handlers.ts';
import { bug, expectedFailure, invalid, invalidBecause, tooLong, tooMuch } from './refusals.ts';
import { StateFeed } from './state-feed.ts';
import { StreamChannel } from './stream-channel.ts';

/** A handler of any kind, as it is looked up by name. What it is called with was parsed by its contract. */
export type AnyHandler = (first: never, second: never) => unknown;

export interface Served {
  readonly contract: Readonly<Record<string, AnyContract>>;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly clock: Clock;
  /** Hears of what a handler threw and should not have. */
  readonly onBug: (error: unknown) => void;
}

/**
 * Bytes that wait for a window above which it is closed. States and streams pause long before; what is left are answers,
 * and whoever asks on and on without reading any would have them all kept here.
 */
export const mostUnreadBytes = 64 * 1024 * 1024;

type Open =
  | { readonly kind: 'call'; readonly name: string; readonly controller: AbortController }
  | { readonly kind: 'state'; readonly name: string; readonly feed: StateFeed }
  | { readonly kind: 'stream'; readonly name: string; readonly channel: StreamChannel; readonly up: AnyUp };
type AnyUp = Extract<AnyContract, { kind: 'stream' }>['up'];
type Beginning = Extract<UpFrame, { t: 'call' | 'watch' | 'open' }>;

const kinds = { call: 'method', watch: 'state', open: 'stream' } as const;

/** One window, from the opening of its connection to its close. What it sends is parsed before anything acts on it. */
export class WindowConnection implements Disposable {
  readonly #port: FramePort<DownFrame, unknown>;
  readonly #served: Served;
  readonly #open = new Map<number, Open>();
  /** Handlers that have not settled, also those of calls and streams that the window has let go. */
  readonly #running = { call: 0, stream: 0 };
  #ended = false;

  constructor(port: FramePort<DownFrame, unknown>, served: Served) {
    this.#port = port;
    this.#served = served;
    port.onClose(() => this[Symbol.dispose]());
    port.onFrame((frame) => this.#take(frame));
  }

  [Symbol.dispose](): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const id of [...this.#open.keys()]) this.#end(id);
    this.#port.close();
  }

  #take(raw: unknown): void {
    if (this.#ended) return;
    if (!fitsIn(raw, wireLimits.messageBytes)) return this.#refuse(idOf(raw), tooLong);
    const parsed = upFrame.safeParse(raw);
    if (!parsed.success) return this.#refuse(idOf(raw), invalid('', parsed.error));
    const frame = parsed.data;
    switch (frame.t) {
      case 'call':
      case 'watch':
      case 'open':
        return this.#begin(frame);
      case 'cancel':
      case 'unwatch':
      case 'close':
        return this.#end(frame.id);
      case 'resync':
      case 'data':
      case 'credit':
        return this.#continue(frame);
      default:
        assertNever(frame);
    }
  }

  #begin(frame: Beginning): void {
    const { contract, handlers } = this.#served;
    const { id, name } = frame;
    if (this.#open.has(id)) return this.#refuse(id, invalidBecause(`id: ${id} is in use`));
    const kind = kinds[frame.t];
    const entry = Object.hasOwn(contract, name) ? contract[name] : undefined;
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (entry?.kind !== kind || handler === undefined)
      return this.#refuse(id, invalidBecause(`name: there is no ${kind} ${JSON.stringify(name)}`));
    const excess = this.#excess(frame.t);
    if (excess !== undefined) return this.#refuse(id, tooMuch(excess));
    if (frame.t === 'call' && entry.kind === 'method') {
      const input = entry.input.safeParse(frame.input);
      if (!input.success) return this.#refuse(id, invalid('input', input.error));
      void this.#call(id, name, handler, input.data);
    } else if (frame.t !== 'call' && entry.kind !== 'method') {
      const params = entry.params.safeParse(frame.params);
      if (!params.success) return this.#refuse(id, invalid('params', params.error));
      if (frame.t === 'open' && entry.kind === 'stream')
        void this.#stream(frame, handler, params.data, entry.up);
      else this.#watch(id, name, handler, params.data);
    }
  }

  /** What would be too much to begin now. */
  #excess(begun: Beginning['t']): string | undefined {
    if (begun === 'call')
      return this.#running.call < wireLimits.calls ? undefined : `More than ${wireLimits.calls} calls run.`;
    if (begun === 'open')
      return this.#running.stream < wireLimits.streams
        ? undefined
        : `More than ${wireLimits.streams} streams are open.`;
    let states = 0;
    for (const open of this.#open.values()) if (open.kind === 'state') states += 1;
    return states < wireLimits.states ? undefined : `More than ${wireLimits.states} states are watched.`;
  }

  #continue(frame: Extract<UpFrame, { t: 'resync' | 'data' | 'credit' }>): void {
    const { id } = frame;
    const open = this.#open.get(id);
    // It ended while the frame was under way: nobody is wrong.
    if (open === undefined) return;
    if (frame.t === 'resync') {
      if (open.kind === 'state') open.feed.resync();
      else this.#refuse(id, invalidBecause('t: only a state is sent again'));
      return;
    }
    if (open.kind !== 'stream') return this.#refuse(id, invalidBecause(`t: ${id} is no stream`));
    if (frame.t === 'credit') {
      if (!open.channel.grant(frame.amount))
        this.#refuse(id, tooMuch(`A stream may have been granted ${wireLimits.credit} messages.`));
      return;
    }
    const message = open.up.safeParse(frame.payload);
    if (!message.success) this.#refuse(id, invalid('payload', message.error));
    else if (!open.channel.receive(message.data))
      this.#refuse(id, tooMuch('The stream does not take messages as fast as they come.'));
  }

  async #call(id: number, name: string, handler: AnyHandler, input: unknown): Promise<void> {
    const open: Open = { kind: 'call', name, controller: new AbortController() };
    this.#open.set(id, open);
    this.#running.call += 1;
    try {
      const call = handler as (input: unknown, context: CallContext) => Promise<unknown>;
      const output = await call(input, { signal: open.controller.signal });
      if (this.#open.get(id) === open) this.#send({ t: 'result', id, output });
    } catch (error) {
      this.#fail(id, open, error);
    } finally {
      this.#running.call -= 1;
      if (this.#open.get(id) === open) this.#open.delete(id);
    }
  }

  #watch(id: number, name: string, handler: AnyHandler, params: unknown): void {
    try {
      const source = (handler as (params: unknown) => StateSource<unknown>)(params);
      let failed: { readonly error: unknown } | undefined;
      const feed = new StateFeed({
        id,
        source,
        port: this.#port,
        send: (frame) => this.#send(frame),
        clock: this.#served.clock,
        onBug: (error) => {
          const open = this.#open.get(id);
          if (open === undefined) failed = { error };
          else this.#fail(id, open, error);
        },
      });
      const open: Open = { kind: 'state', name, feed };
      this.#open.set(id, open);
      if (failed !== undefined) this.#fail(id, open, failed.error);
    } catch (error) {
      this.#tell(id, name, error);
    }
  }

  async #stream(
    frame: Extract<UpFrame, { t: 'open' }>,
    handler: AnyHandler,
    params: unknown,
    up: AnyUp,
  ): Promise<void> {
    const { id, name, credit } = frame;
    const channel: StreamChannel = new StreamChannel({
      id,
      credit,
      port: this.#port,
      send: (down) => this.#send(down),
      clock: this.#served.clock,
      onBug: (error) => this.#fail(id, open, error),
    });
    const open: Open = { kind: 'stream', name, channel, up };
    this.#open.set(id, open);
    this.#running.stream += 1;
    try {
      const run = handler as (params: unknown, peer: StreamPeer<unknown, unknown>) => Promise<void>;
      await run(params, channel.peer);
      await channel.flushed();
      if (this.#open.get(id) === open) this.#send({ t: 'end', id });
    } catch (error) {
      this.#fail(id, open, error);
    } finally {
      this.#running.stream -= 1;
      if (this.#open.get(id) === open) this.#end(id);
    }
  }

  /** Ends what failed, and tells the window unless it has let go: then only a bug is worth a word. */
  #fail(id: number, open: Open, error: unknown): void {
    if (this.#open.get(id) === open) {
      this.#end(id);
      this.#tell(id, open.name, error);
    } else if (expectedFailure(error) === undefined) this.#served.onBug(error);
  }

  #tell(id: number, name: string, error: unknown): void {
    const expected = expectedFailure(error);
    this.#send({ t: 'error', id, error: expected ?? bug(name) });
    if (expected === undefined) this.#served.onBug(error);
  }

  #refuse(id: number, error: ErrorValue): void {
    this.#end(id);
    this.#send({ t: 'error', id, error });
  }

  #end(id: number): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    try {
      if (open.kind === 'call') open.controller.abort();
      else if (open.kind === 'state') open.feed[Symbol.dispose]();
      else open.channel[Symbol.dispose]();
    } catch (error) {
      this.#served.onBug(error);
    }
  }

  #send(frame: DownFrame): void {
    if (this.#ended) return;
    this.#port.send(frame);
    if (this.#port.bufferedBytes > mostUnreadBytes) this[Symbol.dispose]();
  }
}

/** The id that a frame which is not valid means, as far as it has one; 0 stands for the frame itself. */
function idOf(raw: unknown): number {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, 'id')) return 0;
  const { id } = raw as { readonly id: unknown };
  return typeof id === 'number' && Number.isInteger(id) && id >= 1 && id <= 0xffff_ffff ? id : 0;
}
