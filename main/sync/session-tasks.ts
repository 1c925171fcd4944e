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

  /** Runs something beside the loop; `after` runs however it ends. A bug in either ends the session. */
  track(action: () => Promise<void>, after: () => void): void {
    const task = (async () => {
      try {
        await action();
      } catch (error) {
        await this.#onError(error);
      }
      try {
        after();
      } catch (error) {
        this.#s.crash(error);
      }
      this.#s.options.wake.fire();
    })();
    this.#tasks.add(task);
    void task.then(() => this.#tasks.delete(task));
  }

  /** A lost connection ends the session, and whatever fails with it is its consequence; a missing root shows at the next scan. */
  async #onError(error: unknown): Promise<void> {
    await Promise.race([this.#s.options.remote.lost, Promise.resolve()]);
    if (isCancellation(error) || this.#s.lost !== undefined || this.#s.abort.signal.aborted) return;
    if (!isSlipwayError(error)) return this.#s.crash(error);
    this.#s.remoteOverflow = true;
    if (this.#s.tell(error.message))
      this.#s.options.emit({ kind: 'notice', message: `${error.message}: ${error.causeText}` });
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
