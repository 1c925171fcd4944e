import { descriptorsOf, helperProcesses, memoryOf } from './helpers.ts';

export interface ResourceSample {
  readonly at: number;
  readonly appMib: number;
  readonly appFiles: number;
  /** Of the biggest helper. */
  readonly helperMib: number;
  readonly helperFiles: number;
  readonly helpers: number;
}

/** Looks at memory and open files of the app and of its helpers now and then (G6). */
export class Resources implements Disposable {
  readonly samples: ResourceSample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(app: () => number | undefined, containerRoot: () => string, everyMs = 1_000) {
    this.#timer = setInterval(() => {
      const pid = app();
      if (pid === undefined) return;
      const [appMib, appFiles] = [memoryOf(pid), descriptorsOf(pid)];
      if (appMib === undefined || appFiles === undefined) return;
      let helpers: number[] = [];
      try {
        helpers = helperProcesses(containerRoot());
      } catch {
        // No container at the moment.
      }
      const most = (values: (number | undefined)[]): number =>
        Math.max(0, ...values.map((value) => value ?? 0));
      this.samples.push({
        at: Date.now(),
        appMib,
        appFiles,
        helperMib: most(helpers.map(memoryOf)),
        helperFiles: most(helpers.map(descriptorsOf)),
        helpers: helpers.length,
      });
    }, everyMs);
  }

  highest(what: Exclude<keyof ResourceSample, 'at'>): number {
    return Math.max(0, ...this.samples.map((sample) => sample[what]));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Growth of a value an hour by least squares, over the samples from `from` (a share of all) on. */
export function slopePerHour(
  samples: readonly ResourceSample[],
  what: Exclude<keyof ResourceSample, 'at'>,
  from = 0.2,
): number {
  const taken = samples.slice(Math.floor(samples.length * from));
  const count = taken.length;
  if (count < 2) return 0;
  const meanX = taken.reduce((sum, { at }) => sum + at, 0) / count;
  const meanY = taken.reduce((sum, sample) => sum + sample[what], 0) / count;
  let [above, below] = [0, 0];
  for (const sample of taken) {
    above += (sample.at - meanX) * (sample[what] - meanY);
    below += (sample.at - meanX) ** 2;
  }
  return below === 0 ? 0 : (above / below) * 3_600_000;
}
