import type { FileEntry } from './change.ts';

/** Why a version is in the trash. */
export type TrashReason = 'deleted' | 'overwritten' | 'conflict' | 'first-sync';

export interface TrashedVersion {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** Milliseconds since the epoch. */
  readonly trashedAt: number;
  readonly reason: TrashReason;
  readonly origin: 'local' | 'remote';
}

/** The laptop's trash of one pair: versions that a sync replaced or deleted, kept for days. */
export interface Trash {
  readonly capBytes: number;
  /** It holds more than the cap: the next `prune` will find something that has to go. */
  readonly full: boolean;
  /** Stores content from the container. Resolves false when there is a version of this path of this minute. */
  store(
    path: string,
    entry: FileEntry,
    content: AsyncIterable<Uint8Array>,
    reason: TrashReason,
  ): Promise<boolean>;
  list(): Promise<readonly TrashedVersion[]>;
  read(id: string): Promise<Buffer | undefined>;
  /** Drops what is too old, then the oldest until the rest fits; tells what went for lack of room. */
  prune(): Promise<readonly TrashedVersion[]>;
}
