import type { ErrorValue } from './errors.ts';

/** What a dev session goes through, in this order; `restore` comes at Stop or when a start fails half way. */
export type SessionPhase = 'plan' | 'start' | 'wait' | 'connect' | 'sync' | 'stop' | 'restore';

export type ServiceState = 'starting' | 'active' | 'reconnecting' | 'paused' | 'failed';

/** One port of the session as bound. */
export interface BoundPort {
  readonly local: number;
  readonly remote: number;
  readonly addresses: readonly string[];
}

/** A folder or file of the laptop and its counterpart in the container. */
export interface PairPaths {
  readonly local: string;
  readonly remote: string;
}

/**
 * What became of the version that lost a conflict. `trashed`: it is in the trash of this machine. A link and a folder
 * are not kept there (a folder's files are, each by itself), and where only permissions differed nothing was lost.
 */
export type ConflictLoser = 'trashed' | 'link' | 'folder' | 'permissions';

/**
 * Everything that a running session or sync tells, one JSON object a line on the command line (`--json`).
 * `event` names are stable; fields may be added.
 */
export type SessionEvent =
  | { readonly event: 'phase'; readonly phase: SessionPhase; readonly message: string }
  | {
      /** All services are up and the first sync is done. */
      readonly event: 'ready';
      readonly namespace: string;
      readonly pod: string;
      readonly container: string;
      readonly session?: string | undefined;
      readonly ports: readonly BoundPort[];
      readonly pairs: readonly PairPaths[];
    }
  | {
      readonly event: 'sync';
      readonly path: string;
      readonly direction: 'up' | 'down';
      readonly action: string;
      /** Content bytes that travelled. */
      readonly bytes: number;
    }
  | {
      readonly event: 'conflict';
      readonly path: string;
      readonly winner: 'local' | 'remote' | 'none';
      /** Absent while both versions stay. */
      readonly loser?: ConflictLoser | undefined;
      readonly message: string;
    }
  | {
      /** Nothing of it happens until it is answered. */
      readonly event: 'held';
      readonly id: string;
      readonly reason: string;
      readonly paths: readonly string[];
      readonly choices: readonly string[];
    }
  | {
      readonly event: 'health';
      readonly service: string;
      readonly state: ServiceState;
      readonly message: string;
    }
  | { readonly event: 'notice'; readonly message: string }
  | {
      /** A command after an upload, or the restart of the container's program (`name` is `restart`). */
      readonly event: 'command';
      readonly name: string;
      readonly where: 'container' | 'laptop';
      /** `skipped`: it had succeeded in this container before, and is meant to run once. */
      readonly state: 'started' | 'output' | 'ended' | 'failed' | 'skipped';
      /** What was started, a piece of its output, or the end of that when it ended. */
      readonly text: string;
      readonly code?: number | undefined;
      readonly milliseconds?: number | undefined;
    }
  | ({ readonly event: 'error' } & ErrorValue)
  | {
      readonly event: 'stopped';
      /** What was put back or removed, a sentence each. */
      readonly restored: readonly string[];
      /** What somebody else changed meanwhile and was left as it is, a sentence each. */
      readonly kept: readonly string[];
      /** What still is there and why, a sentence each; empty after a clean stop. */
      readonly remaining: readonly string[];
    };

/** What `sync --dry-run` tells, one JSON object a line: the steps of each pair, and a `plan-end` for it. */
export type PlanEvent =
  | {
      readonly event: 'plan';
      readonly pair: PairPaths;
      readonly where: 'laptop' | 'container';
      /** create, update, delete, rename, mode, directory or link. */
      readonly action: string;
      readonly path: string;
      readonly to?: string | undefined;
      /** Content that would travel. */
      readonly bytes: number;
      /** It replaces or removes content that is there now; that goes to the trash of its side. */
      readonly replaces: boolean;
      /** It would wait for an answer: brake, first-sync, consent, trash-cap. */
      readonly held?: string | undefined;
    }
  | {
      readonly event: 'plan-conflict';
      readonly pair: PairPaths;
      readonly path: string;
      readonly reason: string;
    }
  | {
      readonly event: 'plan-problem';
      readonly pair: PairPaths;
      readonly where: 'laptop' | 'container';
      readonly path: string;
      readonly message: string;
    }
  | {
      readonly event: 'plan-end';
      readonly pair: PairPaths;
      readonly steps: number;
      readonly uploadBytes: number;
      readonly downloadBytes: number;
      readonly same: number;
      /** The pair was never in sync: the strategy decides. */
      readonly first: boolean;
    };
