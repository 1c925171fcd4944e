import type { Result } from '../support/result.ts';
import { median, percentile } from '../support/statistics.ts';

export interface Samples {
  readonly slipway: readonly number[];
  readonly raw: readonly number[];
  /** Of the DevSpace command line where it was measured; else what is known of it. */
  readonly devspace: readonly number[];
}

export function noSamples(): { slipway: number[]; raw: number[]; devspace: number[] } {
  return { slipway: [], raw: [], devspace: [] };
}

/** Median and p95 of milliseconds in words. */
export function spread(values: readonly number[]): string {
  if (values.length === 0) return '';
  const [middle, late] = [median(values), percentile(values, 0.95)];
  if (values.length < 3) return `median ${duration(middle)} of ${values.length}`;
  return `median ${duration(middle)}, p95 ${duration(late)} of ${values.length}`;
}

export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

export function ratioOf(a: readonly number[], b: readonly number[]): string {
  return (median(a) / median(b)).toFixed(2);
}

/** A row about how long something takes. */
export function timeResult(
  options: Omit<Result, 'measured' | 'against'> & {
    readonly samples: Samples;
    /** What the raw pipe did. */
    readonly raw: string;
    /** Reference figure of DevSpace for when it was not measured. */
    readonly known?: string | undefined;
    readonly note?: string | undefined;
  },
): Result {
  const { samples, raw, known, note, ...rest } = options;
  const { slipway, devspace } = samples;
  const told =
    samples.raw.length === 0 ? raw : `${raw}: ${spread(samples.raw)}; ratio ${ratioOf(slipway, samples.raw)}`;
  return {
    ...rest,
    measured: spread(slipway) + (note === undefined ? '' : `; ${note}`),
    against: told,
    devspace: devspace.length > 0 ? spread(devspace) : (known ?? ''),
  };
}
