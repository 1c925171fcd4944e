/** One line of a log asked for with timestamps. */
export interface StampedLine {
  /** RFC 3339 as the server sent it; empty when the line has none. */
  readonly timestamp: string;
  readonly text: string;
}

/** How many lines are remembered for the overlap; what is older than those counts as seen. */
export const maximumRemembered = 50_000;
/** Standard output and standard error are stamped apart, so a later line may bear a slightly earlier time. */
const disorderSeconds = 1;

const stampPattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})(?: |$)/;

/** Splits the timestamp off a line; a line that has none is all text. */
export function parseStampedLine(line: string): StampedLine {
  const match = stampPattern.exec(line);
  if (match === null) return { timestamp: '', text: line };
  return { timestamp: match[0].trimEnd(), text: line.slice(match[0].length) };
}

/**
 * Drops what comes twice when a log is read again from a little before where it broke off. The server takes the
 * time to read from in whole seconds, and several lines may bear the same time, so each time is counted.
 */
export class LogOverlap {
  #latest: Instant | undefined;
  /** How often each instant of the last moments has been seen, oldest first. */
  readonly #seen = new Map<string, number>();
  /** Of those, how often each is still to come again. */
  #expected = new Map<string, number>();
  /** Instants up to this one have been forgotten. */
  #forgotten = '';
  #resumedFrom = '';

  /** The `sinceTime` to read again from; undefined while nothing has been seen. Resets what is to come again. */
  resume(): string | undefined {
    if (this.#latest === undefined) return undefined;
    const from = this.#latest.seconds - disorderSeconds;
    this.#expected = new Map(this.#seen);
    this.#resumedFrom = keyOf({ seconds: from, fraction: '' });
    return new Date(from * 1000).toISOString().replace('.000Z', 'Z');
  }

  /** Whether a line is new; remembers it then. A line without a time always is. */
  admit(line: StampedLine): boolean {
    const instant = parseInstant(line.timestamp);
    if (instant === undefined) return true;
    const key = keyOf(instant);
    if (this.#resumedFrom !== '' && (key < this.#resumedFrom || key <= this.#forgotten)) return false;
    const expected = this.#expected.get(key) ?? 0;
    if (expected > 0) {
      this.#expected.set(key, expected - 1);
      return false;
    }
    this.#remember(key, instant);
    return true;
  }

  #remember(key: string, instant: Instant): void {
    this.#seen.set(key, (this.#seen.get(key) ?? 0) + 1);
    if (this.#latest === undefined || key > keyOf(this.#latest)) this.#latest = instant;
    const oldestNeeded = keyOf({ seconds: this.#latest.seconds - disorderSeconds, fraction: '' });
    for (const [oldest] of this.#seen) {
      const tooMany = this.#seen.size > maximumRemembered;
      if (!tooMany && oldest >= oldestNeeded) break;
      if (tooMany && oldest > this.#forgotten) this.#forgotten = oldest;
      this.#seen.delete(oldest);
    }
  }
}

interface Instant {
  /** Whole seconds since the epoch. */
  readonly seconds: number;
  readonly fraction: string;
}

function parseInstant(timestamp: string): Instant | undefined {
  const match = stampPattern.exec(timestamp);
  if (match === null) return undefined;
  const milliseconds = Date.parse(`${match[1] ?? ''}${match[3] ?? ''}`);
  return Number.isNaN(milliseconds) ? undefined : { seconds: milliseconds / 1000, fraction: match[2] ?? '' };
}

/** Sorts as text as the instants do in time. */
function keyOf({ seconds, fraction }: Instant): string {
  return `${String(seconds).padStart(12, '0')}.${fraction.padEnd(9, '0')}`;
}
