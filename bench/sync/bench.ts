import type { Result } from '../support/result.ts';
import type { Bed } from './bed.ts';
import type { LargePair } from './large-pair.ts';
import type { SyncTool } from './tool.ts';

export interface SyncContext {
  readonly bed: Bed;
  /** Slipway first; another tool beside it where one was given. */
  readonly tools: readonly SyncTool[];
  /** Tries of each thing that takes seconds; of edits there are {@link editsPerRound} as many. */
  readonly rounds: number;
  /** Folder for profiles of the engine's processor time; nothing is recorded without. */
  readonly profile: string | undefined;
  /** The pair of 100,000 files, made at the first call and shared. */
  readonly large: () => Promise<LargePair>;
  readonly signal: AbortSignal;
}

export const editsPerRound = 20;

/** One row of the table of numbers to reach, or the few that one measurement gives. It cleans up what it makes. */
export interface SyncBench {
  readonly name: string;
  /** It works on the pair of 100,000 files. */
  readonly usesLarge?: boolean;
  run(context: SyncContext): Promise<readonly Result[]>;
}
