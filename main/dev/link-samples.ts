import type { LinkSample, PairLink, StreamHealth } from '../../contract/sessions.ts';
import type { Clock } from '../base/clock.ts';
import type { LinkHealth, StreamLife } from '../helper/connection.ts';
import type { SyncState } from '../sync/sync-event.ts';
import { reasonText } from './sync-announcement.ts';

/** Between two samples. */
const sampleMs = 1000;
/** A ping comes after two silent seconds: without an answer to it for as long again, something is wrong. */
const stalledAfterMs = 4000;

/** What a sample is made of, by pair. */
export interface LinkNow {
  readonly state: SyncState | undefined;
  readonly link: LinkHealth | undefined;
}

type Direction = 'up' | 'down';

/** Makes samples one after the other: it remembers since when each stream is as it is, and how far its bytes were. */
export class LinkSampler {
  readonly #since = new Map<string, { readonly state: StreamHealth['state']; readonly since: number }>();
  readonly #bytes = new Map<string, number>();
  #at: number | undefined;

  sample(pairs: readonly LinkNow[], at: number): LinkSample {
    const rates = { up: 0, down: 0 };
    const elapsedMs = this.#at === undefined ? undefined : at - this.#at;
    this.#at = at;
    const shown = pairs.map(({ state, link }, pair): PairLink => {
      const one = (direction: Direction): StreamHealth => {
        const key = `${pair} ${direction}`;
        const life = link?.[direction];
        const bytes = life === undefined ? undefined : bytesOf(direction, life);
        rates[direction] += this.#rate(key, bytes, elapsedMs);
        const health = healthOf(state, life);
        return {
          ...health,
          since: this.#sinceOf(key, health, at),
          ...(bytes === undefined ? {} : { bytes }),
        };
      };
      const { upBytesPerSecond: upLimit, downBytesPerSecond: downLimit } = link?.limits ?? {};
      return {
        up: one('up'),
        down: one('down'),
        ...(upLimit === undefined ? {} : { upLimit }),
        ...(downLimit === undefined ? {} : { downLimit }),
      };
    });
    return { at, pairs: shown, upRate: Math.round(rates.up), downRate: Math.round(rates.down) };
  }

  /** A new connection counts from zero. */
  #rate(key: string, bytes: number | undefined, elapsedMs: number | undefined): number {
    const before = this.#bytes.get(key);
    if (bytes === undefined) this.#bytes.delete(key);
    else this.#bytes.set(key, bytes);
    if (bytes === undefined || before === undefined || elapsedMs === undefined || elapsedMs <= 0) return 0;
    return ((bytes < before ? bytes : bytes - before) / elapsedMs) * 1000;
  }

  #sinceOf(key: string, { state, silentMs }: Omit<StreamHealth, 'since'>, at: number): string {
    const known = this.#since.get(key);
    if (known?.state === state) return new Date(known.since).toISOString();
    const since = state === 'stalled' ? at - (silentMs ?? 0) : at;
    this.#since.set(key, { state, since });
    return new Date(since).toISOString();
  }
}

function bytesOf(direction: Direction, { sentBytes, receivedBytes }: StreamLife): number {
  return direction === 'up' ? sentBytes : receivedBytes;
}

function healthOf(state: SyncState | undefined, life: StreamLife | undefined): Omit<StreamHealth, 'since'> {
  if (life !== undefined) {
    const { silentMs, roundTripMs } = life;
    return {
      state: silentMs >= stalledAfterMs ? 'stalled' : 'connected',
      silentMs: Math.round(silentMs),
      ...(roundTripMs === undefined ? {} : { roundTripMs: Math.round(roundTripMs * 10) / 10 }),
    };
  }
  if (state?.kind === 'failed' || state?.kind === 'stopped')
    return { state: 'over', ...withReason(reasonText(state)) };
  if (state?.kind === 'connecting' && (state.attempt > 1 || state.reason !== undefined))
    return { state: 'reconnecting', attempt: state.attempt, ...withReason(reasonText(state)) };
  return { state: 'starting' };
}

function withReason(reason: string): { readonly reason?: string } {
  return reason === '' ? {} : { reason };
}

/** Tells a window once a second how the connections are, until it goes or the session is over. */
export async function streamLinks(
  parts: { readonly now: () => readonly LinkNow[]; readonly over: Promise<void>; readonly clock: Clock },
  peer: { readonly signal: AbortSignal; send(sample: LinkSample): Promise<void> },
): Promise<void> {
  const { clock, now } = parts;
  const sampler = new LinkSampler();
  const ending = new AbortController();
  const signal = AbortSignal.any([peer.signal, ending.signal]);
  void parts.over.then(() => ending.abort(new DOMException('The session is over', 'AbortError')));
  try {
    for (;;) {
      await peer.send(sampler.sample(now(), clock.now()));
      await clock.sleep(sampleMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
