import type { ErrorValue } from '../../contract/errors.ts';
import type { BoundPort, ConflictLoser, SessionEvent } from '../../contract/session-events.ts';
import type { ClusterChange, HeldWork } from '../../contract/sessions.ts';
import type { SyncState } from '../sync/sync-event.ts';

/** Something that a session's page has to show, with when it happened (milliseconds since the epoch). */
export type SessionNews = { readonly at: number } & (
  | {
      readonly kind: 'event';
      readonly event: Exclude<SessionEvent, { event: 'sync' | 'conflict' | 'held' }>;
    }
  /** Another container runs. */
  | { readonly kind: 'container'; readonly pod: string; readonly container: string }
  | { readonly kind: 'ports'; readonly ports: readonly BoundPort[] }
  | { readonly kind: 'begun'; readonly changes: Readonly<Record<string, ClusterChange>> }
  | { readonly kind: 'changes'; readonly changes: Readonly<Record<string, ClusterChange>> }
  /** `files`: paths that both sides agree on. */
  | {
      readonly kind: 'pair';
      readonly pair: number;
      readonly state: SyncState;
      readonly files: number | undefined;
    }
  | {
      readonly kind: 'conflict';
      readonly pair: number;
      readonly path: string;
      readonly winner: 'local' | 'remote' | 'none';
      readonly loser?: ConflictLoser | undefined;
      readonly message: string;
    }
  /** The user took the other version of a settled conflict. */
  | { readonly kind: 'swapped'; readonly conflict: string; readonly message: string }
  | { readonly kind: 'held'; readonly reason: string; readonly count: number }
  | { readonly kind: 'holds'; readonly held: Readonly<Record<string, HeldWork>>; readonly total: number }
  | { readonly kind: 'answered'; readonly message: string }
  /** Totals since Start. */
  | {
      readonly kind: 'traffic';
      readonly up: { readonly files: number; readonly bytes: number };
      readonly down: { readonly files: number; readonly bytes: number };
    }
  | { readonly kind: 'stopping'; readonly keep: boolean }
  | { readonly kind: 'over'; readonly error?: ErrorValue | undefined }
);
