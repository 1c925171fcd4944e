/** Least and most bytes that are sent without being acknowledged. */
export const windowBounds = { least: 256 * 1024, most: 4 * 1024 * 1024 } as const;
/** A link slower than this many bytes a second gains from compression. */
const compressBelow = 20_000_000;
/** Smaller batches tell of the round trip, not of the throughput. */
const sampleAtLeast = 64 * 1024;
const weight = 0.25;
/** After content that does not compress, so many batches go as they are. */
const rest = 8;

/** What acknowledgements tell about a link, and what follows from it. */
export class LinkMeter {
  /** Bytes a second from the first byte sent to the acknowledgement; undefined until measured. */
  #throughput: number | undefined;
  /** The same without the time that the other end spent on applying. */
  #linkRate: number | undefined;
  #resting = 0;

  /** About a second of the measured throughput. */
  get window(): number {
    if (this.#throughput === undefined) return windowBounds.most / 4;
    return Math.min(windowBounds.most, Math.max(windowBounds.least, this.#throughput));
  }

  acknowledged(bytes: number, elapsedMs: number, busyMs: number): void {
    if (bytes < sampleAtLeast) return;
    this.#throughput = mix(this.#throughput, perSecond(bytes, elapsedMs));
    this.#linkRate = mix(this.#linkRate, perSecond(bytes, elapsedMs - busyMs));
  }

  /** Whether the next body of this size is to be compressed. */
  compresses(bytes: number): boolean {
    if (this.#linkRate === undefined || this.#linkRate >= compressBelow || bytes < 1024) return false;
    if (this.#resting > 0) {
      this.#resting -= 1;
      return false;
    }
    return true;
  }

  compressed(before: number, after: number): void {
    if (after > before * 0.9) this.#resting = rest;
  }
}

function perSecond(bytes: number, ms: number): number {
  return (bytes / Math.max(ms, 1)) * 1000;
}

function mix(average: number | undefined, sample: number): number {
  return average === undefined ? sample : average + (sample - average) * weight;
}
