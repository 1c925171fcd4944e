import type { DownFrame, FramePort } from '../../contract/wire.ts';
import { diffMerge } from '../../contract/merge-patch.ts';
import type { Clock } from '../base/clock.ts';
import type { StateSource } from './handlers.ts';

/** Shortest time between two patches of one state: a person sees no more than this. */
export const patchEveryMs = 50;
/** Bytes that wait to leave above which no state sends: a window that is slow gets fewer patches, not later ones. */
export const statesWaitAboveBytes = 1024 * 1024;

export interface StateFeedOptions {
  readonly id: number;
  readonly source: StateSource<unknown>;
  readonly port: Pick<FramePort<DownFrame, unknown>, 'bufferedBytes'>;
  readonly send: (frame: DownFrame) => void;
  readonly clock: Clock;
  /** The source threw, or holds what cannot travel. */
  readonly onBug: (error: unknown) => void;
}

/**
 * Tells one window of one state: a snapshot, then what leads from the value that was sent last to the present one.
 * So what changes faster than it can be sent costs nothing, and nothing is lost. Owns the source.
 */
export class StateFeed implements Disposable {
  readonly #options: StateFeedOptions;
  readonly #subscription: Disposable;
  #index = 0;
  #sent: unknown;
  #sentAtMs = -Infinity;
  #snapshotAsked = true;
  #timer: Disposable | undefined;
  #ended = false;

  constructor(options: StateFeedOptions) {
    this.#options = options;
    this.#subscription = options.source.onChange(() => this.#schedule());
    this.#flushOrWait();
  }

  /** The window missed something; answered in its turn, however often it is asked. */
  resync(): void {
    this.#snapshotAsked = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#ended || this.#timer !== undefined) return;
    const { clock } = this.#options;
    this.#wait(Math.max(0, this.#sentAtMs + patchEveryMs - clock.monotonic()));
  }

  #wait(milliseconds: number): void {
    this.#timer = this.#options.clock.timer(milliseconds, () => {
      this.#timer = undefined;
      this.#flushOrWait();
    });
  }

  #flushOrWait(): void {
    if (this.#options.port.bufferedBytes > statesWaitAboveBytes) this.#wait(patchEveryMs);
    else this.#flush();
  }

  #flush(): void {
    if (this.#ended) return;
    const { id, source, send, clock, onBug } = this.#options;
    try {
      const { value } = source;
      if (this.#snapshotAsked) {
        send({ t: 'snapshot', id, index: ++this.#index, value });
        this.#snapshotAsked = false;
      } else {
        const patch = diffMerge(this.#sent, value);
        if (patch !== undefined) send({ t: 'patch', id, index: ++this.#index, patch });
      }
      this.#sent = value;
      this.#sentAtMs = clock.monotonic();
    } catch (error) {
      onBug(error);
    }
  }

  [Symbol.dispose](): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
    this.#subscription[Symbol.dispose]();
    this.#options.source[Symbol.dispose]();
  }
}
