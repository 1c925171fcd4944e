import { compressionLevel } from './compression-level.ts';

/** Least and most bytes that are sent without being acknowledged. */
export const windowBounds = { least: 64 * 1024, most: 4 * 1024 * 1024 } as const;
/** Least and most bytes of one slice of a file. */
export const sliceBounds = { least: 16 * 1024, most: 1024 * 1024 } as const;
/** Slices that are under way together. */
const slicesPerWindow = 4;
/** Slices a second under a bandwidth limit. */
const slicesPerSecond = 8;
/** Smaller batches tell of the round trip, not of the throughput, unless others were under way with them. */
const sampleAtLeast = 64 * 1024;
const pipelinedSampleAtLeast = 8 * 1024;
const compressAtLeast = 1024;
const weight = 0.25;
/** After content that does not compress, so many batches go as they are. */
const rest = 8;
/** How much slower the level is than level 1. */
const slower: Readonly<Record<number, number>> = { 1: 1, 6: 4 };

export interface Acknowledgement {
  readonly bytes: number;
  /** Since it was sent or, when later, since the acknowledgement before. */
  readonly elapsedMs: number;
  /** That the other end spent on applying. */
  readonly busyMs: number;
  readonly pipelined: boolean;
}

/** What acknowledgements tell about a link, and what follows from it. */
export class LinkMeter {
  /** Bytes a second from the first byte sent to the acknowledgement; undefined until measured. */
  #throughput: number | undefined;
  /** The same without the time that the other end spent on applying. */
  #linkRate: number | undefined;
  #compressRate: number | undefined;
  #ratio: number | undefined;
  #resting = 0;

  /** About a second of the measured throughput. */
  get window(): number {
    if (this.#throughput === undefined) return windowBounds.most / 4;
    return Math.min(windowBounds.most, Math.max(windowBounds.least, this.#throughput));
  }

  acknowledged({ bytes, elapsedMs, busyMs, pipelined }: Acknowledgement): void {
    if (bytes < (pipelined ? pipelinedSampleAtLeast : sampleAtLeast)) return;
    this.#throughput = mix(this.#throughput, perSecond(bytes, elapsedMs));
    this.#linkRate = mix(this.#linkRate, perSecond(bytes, elapsedMs - busyMs));
  }

  /** The gzip level for the next body of this size; 0: as it is. */
  compressionFor(bytes: number): 0 | 1 | 6 {
    if (bytes < compressAtLeast) return 0;
    if (this.#resting > 0) {
      this.#resting -= 1;
      return 0;
    }
    return compressionLevel({
      linkBytesPerSecond: this.#linkRate,
      compressBytesPerSecond: this.#compressRate,
      ratio: this.#ratio,
    });
  }

  compressed(before: number, after: number, level: number, ms: number): void {
    if (after > before * 0.9) {
      // What follows may compress well, so this says nothing of the next ones after the rest.
      this.#resting = rest;
      return;
    }
    if (before < sampleAtLeast) return;
    this.#compressRate = mix(this.#compressRate, perSecond(before, ms) * (slower[level] ?? 1));
    this.#ratio = mix(this.#ratio, after / before);
  }
}

/** Bytes of one slice where so many may be under way, and so many a second leave at most. */
export function sliceFor(window: number, bytesPerSecond: number | undefined): number {
  const share = Math.min(window / slicesPerWindow, (bytesPerSecond ?? Infinity) / slicesPerSecond);
  return Math.floor(Math.min(sliceBounds.most, Math.max(sliceBounds.least, share)));
}

function perSecond(bytes: number, ms: number): number {
  return (bytes / Math.max(ms, 1)) * 1000;
}

function mix(average: number | undefined, sample: number): number {
  return average === undefined ? sample : average + (sample - average) * weight;
}
