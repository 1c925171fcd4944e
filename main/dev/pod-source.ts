import { Emitter, type Event } from '../base/event.ts';

/** One container as it runs now. Another `containerId` is another root file system. */
export interface ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
  readonly containerId: string;
}

/** Where sync, forwards and terminals find the container that they belong to, also after it was replaced. */
export interface PodSource extends AsyncDisposable {
  /** The container that runs now; waits for one, and rejects with the signal's reason. */
  current(signal?: AbortSignal): Promise<ContainerRef>;
  /** Another container runs, or none. */
  readonly onChange: Event<ContainerRef | undefined>;
}

/** The latest container and whoever waits for one; fed by a watch. */
export class PodSlot implements Disposable {
  readonly #changes = new Emitter<ContainerRef | undefined>();
  readonly onChange = this.#changes.event;
  #latest: ContainerRef | undefined;

  get latest(): ContainerRef | undefined {
    return this.#latest;
  }

  set(next: ContainerRef | undefined): void {
    const previous = this.#latest;
    if (previous?.uid === next?.uid && previous?.containerId === next?.containerId) return;
    this.#latest = next;
    this.#changes.fire(next);
  }

  async current(signal?: AbortSignal): Promise<ContainerRef> {
    signal?.throwIfAborted();
    if (this.#latest !== undefined) return this.#latest;
    return new Promise((resolve, reject) => {
      const listening = this.onChange((next) => {
        if (next === undefined) return;
        finish();
        resolve(next);
      });
      const onAbort = (): void => {
        finish();
        reject(signal?.reason as Error);
      };
      const finish = (): void => {
        listening[Symbol.dispose]();
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
  }
}
