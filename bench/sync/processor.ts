import { median } from '../support/statistics.ts';
import type { Bed } from './bed.ts';
import type { Resources } from './engine-questions.ts';
import { helperUse } from './helper-processes.ts';
import { duration } from './told.ts';
import type { OpenSync } from './tool.ts';

/** Processor time of both ends, which depends little on what else the machine does. */
export class ProcessorTime {
  readonly #app: number[] = [];
  readonly #helper: number[] = [];

  add(app: number, helper: number): void {
    this.#app.push(app);
    this.#helper.push(helper);
  }

  /** Measures while something is done. */
  async during<T>(bed: Bed, { engine }: OpenSync, action: () => Promise<T>): Promise<T> {
    if (engine === undefined) return action();
    const app = await engine.ask<Resources>({ kind: 'resources' });
    const helper = helperUse(bed);
    const result = await action();
    const helperLater = helperUse(bed);
    const appLater = await engine.ask<Resources>({ kind: 'resources' });
    this.add(appLater.cpuMs - app.cpuMs, helperLater.cpuMs - helper.cpuMs);
    return result;
  }

  get text(): string {
    return `processor: app ${duration(median(this.#app))}, helper ${duration(median(this.#helper))}`;
  }
}
