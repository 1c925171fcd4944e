/** Time as a parameter, so that code that decides about time can be replayed. */
export interface Clock {
  /** Wall clock in milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds that only grow; for durations and deadlines. */
  monotonic(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `milliseconds` unless disposed first. */
  timer(milliseconds: number, callback: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        clearTimeout(timeout);
        reject(signal?.reason as Error);
      };
      const timeout = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
  timer(milliseconds, callback) {
    const timeout = setTimeout(callback, milliseconds);
    return { [Symbol.dispose]: () => clearTimeout(timeout) };
  },
};
