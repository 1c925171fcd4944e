/** What is known of a link and of compressing for it; undefined: not measured yet. */
export interface CompressionFacts {
  /** Bytes a second of the link alone, as they are on the wire. */
  readonly linkBytesPerSecond: number | undefined;
  /** Bytes a second that level 1 takes in here, with whatever else this machine is doing. */
  readonly compressBytesPerSecond: number | undefined;
  /** Share that level 1 left of the last body. */
  readonly ratio: number | undefined;
}

/** Until measured: slower and worse than usual, so that compressing has to be worth it. */
const assumed = { compressBytesPerSecond: 60_000_000, ratio: 0.5 } as const;
/** Level 6 against level 1 on source code: a quarter of the speed, four fifths of the size. */
const level6 = { speed: 0.25, size: 0.83 } as const;
/** What level 1 hardly shrinks, level 6 does not either. */
const hardly = 0.9;
/** The gain below which another level is not worth the processor's time. */
const worth = 0.95;

/** The gzip level with which a body is there soonest: 0 on a fast link, more the slower the link is against this machine. */
export function compressionLevel(facts: CompressionFacts): 0 | 1 | 6 {
  const { linkBytesPerSecond: link } = facts;
  if (link === undefined || link <= 0) return 0;
  const speed = facts.compressBytesPerSecond ?? assumed.compressBytesPerSecond;
  const ratio = facts.ratio ?? assumed.ratio;
  const seconds = {
    0: 1 / link,
    1: 1 / speed + ratio / link,
    6: 1 / (speed * level6.speed) + (ratio * (ratio < hardly ? level6.size : 1)) / link,
  };
  if (seconds[6] < seconds[1] * worth && seconds[6] < seconds[0] * worth) return 6;
  return seconds[1] < seconds[0] * worth ? 1 : 0;
}
