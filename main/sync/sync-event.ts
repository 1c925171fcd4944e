import type { ConflictLoser } from '../../contract/session-events.ts';
import type { SlipwayError } from '../base/errors.ts';
import type { Conflict } from './change.ts';
import type { Problem } from './entry.ts';

/** What the engine is doing, as a person would say it. `in-sync` only after both sides confirmed the same digests. */
export type SyncState =
  | {
      readonly kind: 'connecting';
      readonly attempt: number;
      /** Why there is no connection any more, or not yet again. */
      readonly reason?: SlipwayError | undefined;
    }
  | { readonly kind: 'scanning' }
  | { readonly kind: 'comparing' }
  | { readonly kind: 'syncing'; readonly remaining: number }
  | { readonly kind: 'in-sync'; readonly held: number }
  | { readonly kind: 'paused'; readonly reason: SlipwayError }
  /** Over for good. A reason that is no {@link SlipwayError} is a bug: whoever runs the engine lets it crash. */
  | { readonly kind: 'failed'; readonly reason: Error }
  | { readonly kind: 'stopped' };

export type HeldKind =
  /** One side lost its root, all of its files, or most of them at once. */
  | 'brake'
  /** A first sync that would overwrite or delete on the laptop. */
  | 'first-sync'
  /** Files from the container that programs on the laptop would execute. */
  | 'consent'
  /** Both sides changed and the strategy leaves the choice to the user. */
  | 'conflict'
  /** More would go to the laptop's trash at once than it keeps. */
  | 'trash-cap';

/**
 * `apply`: do it. `restore`: the other way round (bring back what was deleted; keep the laptop's version).
 * `leave`: both sides stay as they are, remembered. `local` and `remote` choose the winner of a conflict.
 */
export type HeldChoice = 'apply' | 'restore' | 'leave' | 'local' | 'remote';

/** Work that waits for somebody's choice; nothing of it happens before. */
export interface Held {
  readonly id: string;
  readonly kind: HeldKind;
  /** One sentence: what would happen and why it waits. */
  readonly reason: string;
  readonly paths: readonly string[];
  readonly choices: readonly HeldChoice[];
  /** Side on which the changes would be made; undefined for conflicts. */
  readonly side?: 'local' | 'remote' | undefined;
}

export type FileAction = 'create' | 'update' | 'delete' | 'rename' | 'mode' | 'directory' | 'link';

export type SyncEvent =
  | { readonly kind: 'state'; readonly state: SyncState }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly direction: 'up' | 'down';
      readonly action: FileAction;
      readonly bytes: number;
      /** Bytes of the file that was put. */
      readonly size?: number | undefined;
      /** New path of a rename. */
      readonly to?: string | undefined;
    }
  | {
      readonly kind: 'conflict';
      readonly conflict: Conflict;
      /** `none`: it is held, and nobody lost. */
      readonly winner: 'local' | 'remote' | 'none';
      /** Absent where nobody lost. */
      readonly loser?: ConflictLoser | undefined;
    }
  | { readonly kind: 'held'; readonly held: Held }
  | { readonly kind: 'released'; readonly id: string }
  | { readonly kind: 'problem'; readonly side: 'local' | 'remote'; readonly problem: Problem }
  | { readonly kind: 'notice'; readonly message: string };
