import type { ErrorValue } from '../../contract/errors.ts';
import type { Link } from './remote-client.ts';
import { goneValue, RemoteError } from './remote-error.ts';

interface Pending {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The calls that wait for an answer. */
export class PendingCalls {
  readonly #link: Link;
  readonly #pending = new Map<number, Pending>();

  constructor(link: Link) {
    this.#link = link;
  }

  call(name: string, input: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const id = this.#link.nextId();
      const onAbort = (): void => {
        const sent = this.#pending.delete(id);
        if (sent) this.#link.send({ t: 'cancel', id });
        reject(signal?.reason);
      };
      const settled = (): void => signal?.removeEventListener('abort', onAbort);
      signal?.addEventListener('abort', onAbort, { once: true });
      const send = (): void => {
        if (signal?.aborted === true) return;
        this.#pending.set(id, {
          resolve: (output) => {
            settled();
            resolve(output);
          },
          reject: (error) => {
            settled();
            reject(error);
          },
        });
        try {
          this.#link.send({ t: 'call', id, name, input });
        } catch (error) {
          this.#settle(id)?.reject(error);
        }
      };
      this.#link.whenOpen(send, () => {
        settled();
        reject(new RemoteError(goneValue));
      });
    });
  }

  resolve(id: number, output: unknown): void {
    this.#settle(id)?.resolve(output);
  }

  reject(id: number, error: ErrorValue): void {
    this.#settle(id)?.reject(new RemoteError(error));
  }

  rejectAll(error: ErrorValue): void {
    for (const id of [...this.#pending.keys()]) this.reject(id, error);
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}
