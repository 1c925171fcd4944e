/** What a screen has taken and not shown yet, in bytes, below which main may send more at once. */
export const lowWaterBytes = 32 * 1024;
/** Messages that main may send ahead: of at most 32 KiB each. */
export const aheadMessages = 6;

/** Where output is shown. */
export interface OutputSink {
  /** Calls back when it is shown. */
  write(bytes: Uint8Array, shown: () => void): void;
}

/**
 * Output on its way to a screen. Main may send more while little waits here; above {@link lowWaterBytes} only as fast
 * as the screen shows it, so that what was printed last is never far behind what is seen.
 */
export class OutputFlow {
  readonly #sink: OutputSink;
  readonly #grant: (amount: number) => void;
  #waiting = 0;
  #replayLeft = 0;

  constructor(sink: OutputSink, grant: (amount: number) => void) {
    this.#sink = sink;
    this.#grant = grant;
  }

  /** Whether what is being shown was written before: a program has had its answers to it. */
  get replaying(): boolean {
    return this.#replayLeft > 0;
  }

  take(message: Uint8Array | { readonly replay: number }): void {
    if (!(message instanceof Uint8Array)) {
      this.#replayLeft = message.replay;
      this.#grant(1);
      return;
    }
    const { length } = message;
    this.#waiting += length;
    const early = this.#waiting <= lowWaterBytes;
    if (early) this.#grant(1);
    this.#sink.write(message, () => {
      this.#waiting -= length;
      this.#replayLeft = Math.max(0, this.#replayLeft - length);
      if (!early) this.#grant(1);
    });
  }
}
