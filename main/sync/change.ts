import type { Entry } from './entry.ts';

export type Side = 'local' | 'remote';

export function otherSide(side: Side): Side {
  return side === 'local' ? 'remote' : 'local';
}

export type FileEntry = Extract<Entry, { kind: 'file' }>;

/**
 * One step on one side. `expected` is the entry that has to be at `path` (undefined: nothing), else the step
 * is refused by the endpoint. `keep` says how the content that the step replaces or removes survives:
 * in the trash of the same side, or fetched to the laptop's trash first (losers and victims of a first sync).
 */
export type Change = {
  readonly path: string;
  readonly expected: Entry | undefined;
  readonly keep: 'side' | 'laptop';
  readonly why: ChangeReason;
} & (
  | {
      readonly kind: 'put';
      /** The file on the other side as it was when this was decided. */
      readonly source: FileEntry;
      readonly mode: number;
    }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'chmod'; readonly mode: number }
  | { readonly kind: 'delete' }
  | { readonly kind: 'rename'; readonly to: string; readonly mode: number }
);

/** `settled`: both sides had changed, and the strategy's side won. */
export type ChangeReason = 'propagate' | 'first-sync' | 'restored-root' | 'settled';

/** A path that stays different on both sides until somebody chooses. */
export interface Conflict {
  readonly path: string;
  readonly local: Entry | undefined;
  readonly remote: Entry | undefined;
  readonly reason: 'both-changed' | 'kinds-differ' | 'clock-unreliable' | 'refused-by-rules';
}
