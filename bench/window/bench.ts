import type { Browser } from 'playwright-core';
import type { Result } from '../support/result.ts';

export interface BenchContext {
  readonly browser: Browser;
  /** Loads, tries and the like. */
  readonly rounds: number;
  /** How long the heap is watched. */
  readonly minutes: number;
  /** Folder for profiles of the processor; nothing is recorded without. */
  readonly profile: string | undefined;
  readonly signal: AbortSignal;
}

/** One benchmark. It cleans up what it makes, also when it fails. */
export interface Bench {
  readonly name: string;
  run(context: BenchContext): Promise<readonly Result[]>;
}
