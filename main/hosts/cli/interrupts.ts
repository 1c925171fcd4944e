/** The part of `process` that delivers signals; a parameter for tests. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** What the user's signals ask for: the first one to stop in order, a second one to leave at once. */
export interface Interrupts extends Disposable {
  readonly stop: AbortSignal;
  readonly force: AbortSignal;
  /** Stops in order, as a first signal does. */
  requestStop(): void;
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
  const requestStop = (): void => stop.abort(new Cancelled());
  const onSignal = (): void => {
    const now = monotonic();
    if (now - last < doubledMs) return;
    last = now;
    if (stop.signal.aborted) force.abort(new Cancelled());
    else requestStop();
  };
  // Nobody who closes a window asks for haste, and shells and service managers send this one behind another signal.
  const onHangUp = (): void => {
    last = monotonic();
    requestStop();
  };
  for (const signal of stopSignals) source.on(signal, onSignal);
  source.on('SIGHUP', onHangUp);
  return {
    stop: stop.signal,
    force: force.signal,
    requestStop,
    [Symbol.dispose]() {
      for (const signal of stopSignals) source.off(signal, onSignal);
      source.off('SIGHUP', onHangUp);
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

const readerGoneCodes: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

/** Whether writing failed because nobody reads any more: a closed pipe (`slipway … | head`) or a closed window. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof Error && readerGoneCodes.has((error as NodeJS.ErrnoException).code);
}
