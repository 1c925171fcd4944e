import type { TerminalReplay, TerminalSkip } from '../../../contract/terminals.ts';

/** What a screen has taken and not shown yet, in bytes, below which main may send more at once. */
export const lowWaterBytes = 32 * 1024;
/** Messages that main may send ahead: of at most 32 KiB each. */
export const aheadMessages = 6;
/** Bytes that the screen is given ahead: what it has been given can be taken back no more. */
export const screenBytes = 32 * 1024;
/** How long output waits after Ctrl-C for main to say whether it is still wanted, */
export const holdMs = 250;
/** and how much of it may come meanwhile, in bytes. */
export const holdBytes = 512 * 1024;

/** Where output is shown. */
export interface OutputSink {
  /** Calls back when it is shown, at the earliest while it is called. */
  write(bytes: Uint8Array, shown: () => void): void;
}

interface Queued {
  readonly bytes: Uint8Array;
  granted: boolean;
}

/**
 * Output on its way to a screen. Main may send more while little waits here; above {@link lowWaterBytes} only as fast
 * as the screen shows it, so that what was printed last is never far behind what is seen. After Ctrl-C nothing more is
 * drawn until main has said whether what waits here belongs to the flood that it leaves out.
 */
export class OutputFlow implements Disposable {
  readonly #sink: OutputSink;
  readonly #grant: (amount: number) => void;
  #queue: Queued[] = [];
  #waiting = 0;
  /** Of what waits, what the screen has. */
  #given = 0;
  #replayLeft = 0;
  #hold: ReturnType<typeof setTimeout> | undefined;

  constructor(sink: OutputSink, grant: (amount: number) => void) {
    this.#sink = sink;
    this.#grant = grant;
  }

  /** Whether what is being shown was written before: a program has had its answers to it. */
  get replaying(): boolean {
    return this.#replayLeft > 0;
  }

  take(message: Uint8Array | TerminalReplay | TerminalSkip): void {
    if (message instanceof Uint8Array) {
      this.#waiting += message.length;
      const granted = this.#waiting <= (this.#hold === undefined ? lowWaterBytes : holdBytes);
      if (granted) this.#grant(1);
      this.#queue.push({ bytes: message, granted });
      this.#give();
      return;
    }
    this.#grant(1);
    if ('replay' in message) this.#replayLeft = message.replay;
    else this.#skip();
  }

  /** Ctrl-C has been sent. */
  interrupt(): void {
    if (this.#queue.length === 0 || this.#hold !== undefined) return;
    this.#hold = setTimeout(() => this.#release(), holdMs);
    // What main says comes behind what it has sent before.
    for (const queued of this.#queue) {
      if (!queued.granted) this.#grant(1);
      queued.granted = true;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#hold);
    this.#queue = [];
  }

  #skip(): void {
    for (const { bytes, granted } of this.#queue.splice(0)) {
      this.#waiting -= bytes.length;
      if (!granted) this.#grant(1);
    }
    this.#replayLeft = Math.min(this.#replayLeft, this.#given);
    this.#release();
  }

  #release(): void {
    clearTimeout(this.#hold);
    this.#hold = undefined;
    this.#give();
  }

  #give(): void {
    if (this.#hold !== undefined) return;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#given > 0 && this.#given + next.bytes.length > screenBytes) return;
      this.#queue.shift();
      this.#giveOne(next);
    }
  }

  #giveOne({ bytes, granted }: Queued): void {
    const { length } = bytes;
    this.#given += length;
    this.#sink.write(bytes, () => {
      this.#given -= length;
      this.#waiting -= length;
      this.#replayLeft = Math.max(0, this.#replayLeft - length);
      if (!granted) this.#grant(1);
      this.#give();
    });
  }
}
