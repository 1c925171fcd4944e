import type { ErrorValue } from '../../contract/errors.ts';
import { Credit } from './credit.ts';
import type { Link, StreamHandle, StreamListener } from './remote-client.ts';
import { goneValue, RemoteError } from './remote-error.ts';

interface OpenStream {
  readonly listener: StreamListener<unknown>;
  readonly credit: Credit;
}

/** The streams that the window has open. */
export class OpenStreams {
  readonly #link: Link;
  readonly #open = new Map<number, OpenStream>();

  constructor(link: Link) {
    this.#link = link;
  }

  open(name: string, params: unknown, listener: StreamListener<unknown>): StreamHandle<unknown> {
    const id = this.#link.nextId();
    const credit = new Credit(listener.credit);
    this.#open.set(id, { listener, credit });
    // Never before `open` has returned: the listener's owner does not have the handle yet.
    const failSoon = (error: ErrorValue): void => queueMicrotask(() => this.fail(id, error));
    const sendOrFail = (action: () => void): void => {
      try {
        action();
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        failSoon(error.value);
      }
    };
    // What is sent before the first connection stands follows the frame that opens the stream.
    const send = (action: () => void): void =>
      this.#link.whenOpen(
        () => {
          if (this.#open.has(id)) sendOrFail(action);
        },
        () => undefined,
      );
    this.#link.whenOpen(
      () => {
        if (!this.#open.has(id)) return;
        sendOrFail(() => this.#link.send({ t: 'open', id, name, params, credit: credit.initial }));
      },
      () => failSoon(goneValue),
    );
    return {
      send: (payload) => send(() => this.#link.send({ t: 'data', id, payload })),
      grant: (amount) => {
        const granted = this.#open.has(id) ? credit.give(amount) : undefined;
        if (granted !== undefined) send(() => this.#link.send({ t: 'credit', id, amount: granted }));
      },
      close: () => {
        if (this.#open.delete(id)) this.#link.send({ t: 'close', id });
      },
    };
  }

  take(id: number, payload: unknown): void {
    const stream = this.#open.get(id);
    if (stream === undefined) return;
    stream.credit.received();
    this.#link.guarded(() => stream.listener.onMessage(payload));
  }

  end(id: number): void {
    const stream = this.#open.get(id);
    this.#open.delete(id);
    if (stream !== undefined) this.#link.guarded(() => stream.listener.onEnd());
  }

  fail(id: number, error: ErrorValue): void {
    const stream = this.#open.get(id);
    this.#open.delete(id);
    if (stream !== undefined) this.#link.guarded(() => stream.listener.onError(error));
  }

  failAll(error: ErrorValue): void {
    for (const id of [...this.#open.keys()]) this.fail(id, error);
  }
}
