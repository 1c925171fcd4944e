import type { LinkSample, StreamHealth } from '../../../contract/sessions.ts';
import type { Tone } from '../../ui/badge.tsx';

/** Samples that are kept for the picture: a minute. */
export const keptSamples = 60;

/** How one stream is, for a person. */
export interface StreamLook {
  readonly tone: Tone;
  readonly word: string;
  /** What is known besides, each a few words. */
  readonly details: readonly string[];
}

/** A stream's health in words; times are counted at `now`, in milliseconds since the epoch. */
export function streamLook(health: StreamHealth, now: number): StreamLook {
  const { state, since, attempt, reason, silentMs, roundTripMs } = health;
  const age = seconds(Math.max(0, now - Date.parse(since)));
  switch (state) {
    case 'connected':
      return {
        tone: 'ok',
        word: 'Connected',
        details: [
          ...(silentMs === undefined ? [] : [`answered ${seconds(silentMs)} ago`]),
          ...(roundTripMs === undefined ? [] : [`round trip ${roundTripText(roundTripMs)}`]),
        ],
      };
    case 'stalled':
      return { tone: 'warn', word: 'Stalled', details: [`no answer for ${age}`] };
    case 'reconnecting':
      return {
        tone: 'warn',
        word: 'Connecting again',
        details: [
          ...(attempt === undefined ? [] : [`attempt ${attempt.toLocaleString('en')}`]),
          `for ${age}`,
          ...(reason === undefined ? [] : [reason]),
        ],
      };
    case 'starting':
      return { tone: 'info', word: 'Connecting', details: [] };
    case 'over':
      return { tone: 'neutral', word: 'Ended', details: reason === undefined ? [] : [reason] };
  }
}

const rank: Readonly<Record<StreamHealth['state'], number>> = {
  reconnecting: 4,
  stalled: 3,
  over: 2,
  starting: 1,
  connected: 0,
};

/** Of several pairs the stream that needs a look most. */
export function worstStream(sample: LinkSample, direction: 'up' | 'down'): StreamHealth | undefined {
  let worst: StreamHealth | undefined;
  for (const pair of sample.pairs) {
    const health = pair[direction];
    if (worst === undefined || rank[health.state] > rank[worst.state]) worst = health;
  }
  return worst;
}

/** The limit of a direction over all pairs, as far as each has one. */
export function limitOf(sample: LinkSample, direction: 'up' | 'down'): number | undefined {
  const limits = sample.pairs.map((pair) => (direction === 'up' ? pair.upLimit : pair.downLimit));
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 || known.length < limits.length
    ? undefined
    : known.reduce((sum, limit) => sum + limit, 0);
}

/** The points of a line of so many samples, the latest at the right edge; the highest one touches the top. */
export function sparkline(
  rates: readonly number[],
  size: { readonly width: number; readonly height: number },
): string {
  const shown = rates.slice(-keptSamples);
  const most = Math.max(1, ...shown);
  const step = size.width / (keptSamples - 1);
  return shown
    .map((rate, index) => {
      const x = size.width - (shown.length - 1 - index) * step;
      const y = size.height - (Math.max(0, rate) / most) * size.height;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
}

function roundTripText(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds).toLocaleString('en')} ms`;
}

function seconds(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(milliseconds / 60_000).toLocaleString('en')} min`;
}
