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
 * time to read from in whole seconds, and several lines may bear the same time, so each time is counted. Nothing is
 * looked up until then: tens of thousands of lines a second are to cost little.
 */
export class LogOverlap {
  readonly #instants = new InstantReader();
  #latest: Instant | undefined;
  /** The instants of the last moments in the order of their lines. */
  readonly #seen = new InstantQueue();
  /** Of those, how often each is still to come again. */
  #expected = new Map<string, number>();
  /** Instants up to this one have been forgotten. */
  #forgotten = '';
  /** Older ones than this need not be remembered. */
  #oldestNeeded = '';
  #resumedFrom = '';

  /** The `sinceTime` to read again from; undefined while nothing has been seen. Resets what is to come again. */
  resume(): string | undefined {
    if (this.#latest === undefined) return undefined;
    const from = this.#latest.seconds - disorderSeconds;
    this.#expected = this.#seen.counts();
    this.#resumedFrom = keyOf(from, '');
    return new Date(from * 1000).toISOString().replace('.000Z', 'Z');
  }

  /** Whether a line is new; remembers it then. A line without a time always is. */
  admit(line: StampedLine): boolean {
    const instant = this.#instants.read(line.timestamp);
    if (instant === undefined) return true;
    const { key } = instant;
    if (this.#resumedFrom !== '' && (key < this.#resumedFrom || key <= this.#forgotten)) return false;
    const expected = this.#expected.size === 0 ? 0 : (this.#expected.get(key) ?? 0);
    if (expected > 0) {
      this.#expected.set(key, expected - 1);
      return false;
    }
    this.#remember(instant);
    return true;
  }

  #remember(instant: Instant): void {
    const { key } = instant;
    this.#seen.add(key);
    if (this.#latest === undefined || key > this.#latest.key) {
      if (this.#latest?.seconds !== instant.seconds)
        this.#oldestNeeded = keyOf(instant.seconds - disorderSeconds, '');
      this.#latest = instant;
    }
    for (let oldest = this.#seen.first; oldest !== undefined; oldest = this.#seen.first) {
      const tooMany = this.#seen.length > maximumRemembered;
      if (!tooMany && oldest >= this.#oldestNeeded) break;
      if (tooMany && oldest > this.#forgotten) this.#forgotten = oldest;
      this.#seen.removeFirst();
    }
  }
}

interface Instant {
  /** Whole seconds since the epoch. */
  readonly seconds: number;
  /** Sorts as text as the instants do in time. */
  readonly key: string;
}

/** Reads timestamps. Most lines are of the same second as the line before, whose date need not be read again. */
class InstantReader {
  #date = '';
  #zone = '';
  #seconds = Number.NaN;
  #secondsKey = '';

  read(timestamp: string): Instant | undefined {
    const match = stampPattern.exec(timestamp);
    if (match === null) return undefined;
    const [, date = '', fraction = '', zone = ''] = match;
    if (date !== this.#date || zone !== this.#zone) {
      this.#date = date;
      this.#zone = zone;
      this.#seconds = Date.parse(`${date}${zone}`) / 1000;
      this.#secondsKey = `${String(this.#seconds).padStart(12, '0')}.`;
    }
    if (Number.isNaN(this.#seconds)) return undefined;
    return { seconds: this.#seconds, key: this.#secondsKey + fraction.padEnd(9, '0') };
  }
}

function keyOf(seconds: number, fraction: string): string {
  return `${String(seconds).padStart(12, '0')}.${fraction.padEnd(9, '0')}`;
}

/** Instants first in, first out, those that follow one another counted; the room of what left is used again now and then. */
class InstantQueue {
  #keys: string[] = [];
  #counts: number[] = [];
  #head = 0;

  get length(): number {
    return this.#keys.length - this.#head;
  }

  get first(): string | undefined {
    return this.#keys[this.#head];
  }

  add(key: string): void {
    const last = this.#keys.length - 1;
    if (last >= this.#head && this.#keys[last] === key) {
      this.#counts[last] = (this.#counts[last] ?? 0) + 1;
      return;
    }
    this.#keys.push(key);
    this.#counts.push(1);
  }

  removeFirst(): void {
    this.#head += 1;
    if (this.#head < maximumRemembered) return;
    this.#keys = this.#keys.slice(this.#head);
    this.#counts = this.#counts.slice(this.#head);
    this.#head = 0;
  }

  /** How often each instant is in it. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (let index = this.#head; index < this.#keys.length; index++) {
      const key = this.#keys[index] ?? '';
      counts.set(key, (counts.get(key) ?? 0) + (this.#counts[index] ?? 0));
    }
    return counts;
  }
}
