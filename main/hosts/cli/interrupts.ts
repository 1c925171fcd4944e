/** The part of `process` that delivers signals; a parameter for tests. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What the user's signals ask for: the first one to stop in order, a second one to leave at once. */
export interface Interrupts extends Disposable {
  readonly stop: AbortSignal;
  readonly force: AbortSignal;
}

/**
 * Signals this close together are one: a terminal sends Ctrl-C to the whole process group, and a runner such as npm
 * passes its own on to us as well.
 */
const doubledMs = 500;

/** Listens until disposed. */
export function listenForInterrupts(source: SignalSource, monotonic: () => number): Interrupts {
  const stop = new AbortController();
  const force = new AbortController();
  let last = -Infinity;
  const listener = (): void => {
    const now = monotonic();
    if (now - last < doubledMs) return;
    last = now;
    if (stop.signal.aborted) force.abort(new Cancelled());
    else stop.abort(new Cancelled());
  };
  for (const signal of stopSignals) source.on(signal, listener);
  return {
    stop: stop.signal,
    force: force.signal,
    [Symbol.dispose]() {
      for (const signal of stopSignals) source.off(signal, listener);
    },
  };
}

/** The reason of an abort that the user asked for. */
export class Cancelled extends Error {
  constructor() {
    super('Cancelled');
    this.name = 'AbortError';
  }
}
