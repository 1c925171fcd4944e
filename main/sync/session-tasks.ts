import { isCancellation, isSlipwayError } from '../base/errors.ts';
import type { SessionState } from './session-state.ts';

/** Longest wait for what is in flight when the engine closes, in milliseconds. */
const finishLimitMs = 2000;

/** What runs beside the loop: transfers and hashing. */
export class SessionTasks {
  readonly #s: SessionState;
  readonly #tasks = new Set<Promise<void>>();

  constructor(state: SessionState) {
    this.#s = state;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** Waits until everything ended, however it did. */
  async allSettled(): Promise<void> {
    await Promise.allSettled(this.#tasks);
  }

  /** Runs something beside the loop; `after` runs however it ends. */
  track(action: () => Promise<void>, after: () => void): void {
    const task = (async () => {
      try {
        await action();
      } catch (error) {
        if (!isCancellation(error) && !isSlipwayError(error)) throw error;
        // A lost connection ends the session; a missing root shows at the next scan.
        if (isSlipwayError(error) && this.#s.lost === undefined && !this.#s.abort.signal.aborted) {
          this.#s.remoteOverflow = true;
          if (this.#s.tell(error.message))
            this.#s.options.emit({ kind: 'notice', message: `${error.message}: ${error.causeText}` });
        }
      } finally {
        after();
        this.#s.options.wake.fire();
      }
    })();
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task)).catch(() => undefined);
  }

  /** Lets what is in flight end before the engine closes, for a bounded time. */
  async finish(): Promise<void> {
    const timeout = this.#s.options.clock.sleep(finishLimitMs).catch(() => undefined);
    while (this.#tasks.size > 0) {
      const done = await Promise.race([
        Promise.allSettled(this.#tasks).then(() => true),
        timeout.then(() => false),
      ]);
      if (!done) return;
    }
  }
}
