import { z } from 'zod';
import { method, state, stream } from './define.ts';
import type { ErrorValue } from './errors.ts';
import type { Listing } from './listing.ts';
import type { ConflictLoser, PairPaths, ServiceState, SessionPhase } from './session-events.ts';
import type { StartForm } from './workloads.ts';

export const shownHolds = 200;
export const shownHeldPaths = 100;
export const shownConflicts = 200;
export const shownTimeline = 500;
/** Entries of one answer of `sessions.tree` and `sessions.trash`; paths of one of `sessions.heldPaths`. */
export const pageSize = 500;
/** Bytes of a version's content that are shown. */
export const shownVersionBytes = 256 * 1024;
/** Versions of one `sessions.restoreVersions`. */
export const restoredAtOnce = 500;

/** `ended`: everything is as it was. `left`: something remains in the cluster, see Leftovers. */
export type SessionStage = 'starting' | 'running' | 'stopping' | 'ended' | 'left' | 'failed';
export type Health = 'ok' | 'busy' | 'attention' | 'error' | 'idle';

export interface SessionSummary {
  readonly id: string;
  readonly cluster: string;
  readonly namespace: string;
  /** Name of the workload. */
  readonly target: string;
  readonly kind: string;
  readonly folder: string;
  readonly stage: SessionStage;
  readonly health: Health;
  /** The one sentence: "In sync since 12:03". Times in it are marked as {{ISO 8601}}, for the window to write them locally. */
  readonly sentence: string;
  readonly startedAt: string;
  readonly lastSyncAt?: string | undefined;
  readonly held: number;
  readonly conflicts: number;
  readonly ports: number;
}

export interface ServiceHealth {
  readonly kind: 'pod' | 'sync' | 'forward' | 'lease';
  readonly label: string;
  readonly state: ServiceState;
  readonly message: string;
  /** ISO 8601: since when it is in this state. */
  readonly since: string;
  /** Whether `sessions.nudge` can do something for it. */
  readonly restartable: boolean;
}

export interface SessionPort {
  readonly local: number;
  readonly remote: number;
  readonly addresses: readonly string[];
  readonly state: ServiceState;
  readonly message: string;
}

export interface HeldWork {
  readonly id: string;
  readonly pair: number;
  readonly kind: 'brake' | 'first-sync' | 'consent' | 'conflict' | 'trash-cap';
  readonly reason: string;
  /** The first {@link shownHeldPaths}; `sessions.heldPaths` gives the others. */
  readonly paths: readonly string[];
  readonly count: number;
  readonly choices: readonly ('apply' | 'restore' | 'leave' | 'local' | 'remote')[];
  /** The side that would be changed; absent for conflicts. */
  readonly side?: 'laptop' | 'container' | undefined;
}

/** One path of held work, and what each side has there. */
export interface HeldPath {
  readonly path: string;
  readonly laptop?: HeldEntry | undefined;
  readonly container?: HeldEntry | undefined;
}

export interface HeldEntry {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size?: number | undefined;
}

/** How many of the paths are there on a side, and the bytes of the files among them. */
export interface HeldSum {
  readonly count: number;
  readonly bytes: number;
}

export interface ConflictNote {
  readonly path: string;
  readonly winner: 'local' | 'remote' | 'none';
  /** Absent while both versions stay. */
  readonly loser?: ConflictLoser | undefined;
  readonly message: string;
  readonly at: string;
  readonly pair?: number | undefined;
  /** ISO 8601: when the winner was exchanged by hand for the other version; `winner` is the present one. */
  readonly swappedAt?: string | undefined;
}

/** One version of a file, with the beginning of its content where that is text. */
export interface FileVersion {
  readonly where: 'laptop' | 'container' | 'trash';
  readonly kind: 'file' | 'directory' | 'symlink' | 'other' | 'missing';
  readonly size?: number | undefined;
  /** ISO 8601: of a version in the trash when it was put there. */
  readonly time?: string | undefined;
  /** SHA-256 in hex of all of it; absent for what is too large to be read for that. */
  readonly digest?: string | undefined;
  /** Where a link leads to. */
  readonly target?: string | undefined;
  /** The first {@link shownVersionBytes}; absent for what is no text in UTF-8. */
  readonly text?: string | undefined;
  readonly binary?: true | undefined;
  /** There is more of it. */
  readonly cut?: true | undefined;
  /** Why it could not be read. */
  readonly problem?: string | undefined;
}

/** Both versions of a conflict as they are now. */
export interface ConflictVersions {
  readonly local: FileVersion;
  readonly remote: FileVersion;
  /** The version that lost is there and can be taken. */
  readonly canSwap: boolean;
}

/** Something that the session created or changed in the cluster. */
export interface ClusterChange {
  /** Like `Deployment/web-dev`. */
  readonly object: string;
  /** Like `spec.replicas`, or `created`. */
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly state: 'made' | 'restored' | 'kept';
  readonly note?: string | undefined;
  /** Whether this one can be put back alone, while the session goes on. */
  readonly restorable: boolean;
}

export interface TimelineEntry {
  readonly at: string;
  readonly kind: 'phase' | 'health' | 'notice' | 'conflict' | 'held' | 'answer' | 'error' | 'stopped';
  readonly level: 'info' | 'ok' | 'warn' | 'error';
  readonly text: string;
}

export interface SessionDetail {
  readonly summary: SessionSummary;
  readonly form: StartForm;
  readonly phase: SessionPhase;
  /** The furthest that the start came, whatever the phase is by now; `ready` once everything ran. */
  readonly reached: SessionPhase | 'ready';
  /** The latest word on the start or the stop. */
  readonly progress: string;
  readonly pod?: string | undefined;
  readonly container?: string | undefined;
  readonly devName: string;
  readonly pairs: readonly PairPaths[];
  readonly services: Readonly<Record<string, ServiceHealth>>;
  readonly ports: Readonly<Record<string, SessionPort>>;
  /** The first {@link shownHolds}; `summary.held` counts them all. */
  readonly held: Readonly<Record<string, HeldWork>>;
  /** The latest {@link shownConflicts} by a rising number: what was decided, and what waits for a choice. */
  readonly conflicts: Readonly<Record<string, ConflictNote>>;
  readonly up: { readonly files: number; readonly bytes: number };
  readonly down: { readonly files: number; readonly bytes: number };
  readonly changes: Readonly<Record<string, ClusterChange>>;
  /** The latest {@link shownTimeline} by a rising number, so that one more is a small change. */
  readonly timeline: Readonly<Record<string, TimelineEntry>>;
  readonly result?:
    | {
        readonly restored: readonly string[];
        readonly kept: readonly string[];
        readonly remaining: readonly string[];
        readonly error?: ErrorValue | undefined;
      }
    | undefined;
  readonly commandLine: string;
}

/** One file that travelled. */
export interface Activity {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly path: string;
  readonly direction: 'up' | 'down';
  /** `failed` and `held`: it did not travel, and `reason` says why. */
  readonly action: string;
  /** Bytes of content that travelled. */
  readonly bytes: number;
  /** Bytes of the whole file, where only a part of it had to travel. */
  readonly size?: number | undefined;
  readonly reason?: string | undefined;
}

/** One of the two streams to the container, as it is at one moment. */
export interface StreamHealth {
  readonly state: 'connected' | 'stalled' | 'reconnecting' | 'starting' | 'over';
  /** ISO 8601: since when it is in this state. */
  readonly since: string;
  /** Of the latest try, counted from 1. */
  readonly attempt?: number | undefined;
  readonly reason?: string | undefined;
  /** Milliseconds since anything came from the other end. */
  readonly silentMs?: number | undefined;
  readonly roundTripMs?: number | undefined;
  /** Bytes that went over the wire in this stream's direction since the connection was made. */
  readonly bytes?: number | undefined;
}

export interface PairLink {
  readonly up: StreamHealth;
  readonly down: StreamHealth;
  /** Most bytes a second, where there is a limit. */
  readonly upLimit?: number | undefined;
  readonly downLimit?: number | undefined;
}

/** How the connections of a session are, once a second. */
export interface LinkSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** By pair. */
  readonly pairs: readonly PairLink[];
  /** Bytes a second over all pairs since the sample before. */
  readonly upRate: number;
  readonly downRate: number;
}

export interface ActivityBatch {
  readonly items: readonly Activity[];
  /** Older ones that were left out because the window could not follow. */
  readonly skipped: number;
}

/**
 * `same`: both sides were last confirmed to be alike here. `different`: they differ and that is how it stays, by a
 * choice or a rule. `new`: not compared yet. Of a folder: what it has below that needs a look, worst first.
 */
export type FileState = 'same' | 'waiting' | 'held' | 'conflict' | 'different' | 'excluded' | 'new';

export interface TreeEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size?: number | undefined;
  readonly state: FileState;
  /** It is not in the folder of this machine (any more), only known of the container or of before. */
  readonly missing?: true | undefined;
  /** Why it is held, or what failed. */
  readonly reason?: string | undefined;
}

export interface TrashEntry {
  readonly id: string;
  readonly pair: number;
  readonly path: string;
  readonly size: number;
  readonly trashedAt: string;
  readonly reason: string;
  readonly origin: 'local' | 'remote';
  /** Names the versions that went at the same time for the same reason, where there are several; and how many. */
  readonly batch?: string | undefined;
  readonly batchCount?: number | undefined;
}

/** What the container keeps of old versions, until Stop. */
export interface ContainerTrash {
  readonly count: number;
  readonly bytes: number;
  readonly entries: readonly ContainerTrashEntry[];
}

export interface ContainerTrashEntry {
  readonly id: string;
  readonly pair: number;
  readonly path: string;
  readonly size: number;
  readonly trashedAt: string;
}

const sessionId = z.string().regex(/^[a-z0-9]{1,40}$/);
const one = z.strictObject({ session: sessionId });
const key = z.string().min(1).max(256);
const pair = z.number().int().min(0).max(63);
const relativePath = z.string().max(4096);
type Done = Record<string, never>;

export const sessionsContract = {
  'sessions.list': state<Listing<SessionSummary>>()(z.strictObject({})),
  'sessions.detail': state<SessionDetail>()(one),
  /** Starts what a plan says and resolves as soon as the session is known; how it goes is told by its state. */
  'sessions.start': method<{ readonly session: string }>()(
    z.strictObject({
      plan: key,
      /** What was typed, where the plan asks for it. */
      confirmation: z.string().max(512).optional(),
      /** What to do with one's own earlier session that was not ended; asked for as a question when absent. */
      earlier: z.enum(['continue', 'restore']).optional(),
    }),
  ),
  /** Resolves when the stop has begun; `keep` leaves the dev pod. */
  'sessions.stop': method<Done>()(z.strictObject({ session: sessionId, keep: z.boolean().optional() })),
  /** Forgets a session that is over. */
  'sessions.forget': method<Done>()(one),
  /** Connects again at once, and looks at everything anew. */
  'sessions.nudge': method<Done>()(one),
  /** All paths of held work, in order. */
  'sessions.heldPaths': method<{
    readonly paths: readonly string[];
    /** Paths that hold the text. */
    readonly total: number;
    /** What each side has of `paths`. */
    readonly entries?: readonly HeldPath[] | undefined;
    /** Over all paths, whatever is searched for. */
    readonly laptop?: HeldSum | undefined;
    readonly container?: HeldSum | undefined;
  }>()(
    z.strictObject({
      session: sessionId,
      held: key,
      offset: z.number().int().min(0),
      search: z.string().max(256).optional(),
    }),
  ),
  /** Both versions of a conflict. With `fresh` the winner is read from the container, not from this machine. */
  'sessions.conflict': method<ConflictVersions>()(
    z.strictObject({ session: sessionId, conflict: key, fresh: z.boolean().optional() }),
  ),
  /** Puts the version that lost in the place of the one that won, which goes to the trash. */
  'sessions.swapConflict': method<{ readonly message: string }>()(
    z.strictObject({ session: sessionId, conflict: key }),
  ),
  /** Says what happened; also when the same was answered before, or the reason to hold it has gone. */
  'sessions.answerHeld': method<{ readonly message: string }>()(
    z.strictObject({
      session: sessionId,
      held: key,
      choice: z.enum(['apply', 'restore', 'leave', 'local', 'remote']),
    }),
  ),
  'sessions.restoreChange': method<{ readonly message: string }>()(
    z.strictObject({ session: sessionId, change: key }),
  ),
  /** One folder of a pair, in names' order. */
  'sessions.tree': method<{ readonly entries: readonly TreeEntry[]; readonly total: number }>()(
    z.strictObject({ session: sessionId, pair, path: relativePath, offset: z.number().int().min(0) }),
  ),
  /** The latest versions first whose path holds the text. */
  'sessions.trash': method<{ readonly entries: readonly TrashEntry[]; readonly total: number }>()(
    z.strictObject({ session: sessionId, search: z.string().max(256) }),
  ),
  /** Puts an old version back into the folder; the present one goes to the trash. */
  'sessions.restoreTrash': method<{ readonly path: string }>()(
    z.strictObject({ session: sessionId, pair, id: key }),
  ),
  /** Puts several back, each as `restoreTrash`; `to` is a folder of this machine to put them below instead. */
  'sessions.restoreVersions': method<{
    readonly restored: readonly string[];
    readonly failed: readonly { readonly path: string; readonly message: string }[];
  }>()(
    z.strictObject({
      session: sessionId,
      versions: z
        .array(z.strictObject({ pair, id: key }))
        .max(restoredAtOnce)
        .optional(),
      /** All versions that went together. */
      batch: z.strictObject({ pair, batch: key }).optional(),
      to: z.string().min(1).max(4096).optional(),
    }),
  ),
  'sessions.containerTrash': method<ContainerTrash>()(
    z.strictObject({ session: sessionId, search: z.string().max(256) }),
  ),
  /** Brings one of the container's old versions here, as `restoreTrash` does with this machine's. */
  'sessions.bringHere': method<{ readonly path: string }>()(
    z.strictObject({
      session: sessionId,
      pair,
      id: z.string().regex(/^\d{1,20}$/),
      to: z.string().min(1).max(4096).optional(),
    }),
  ),
  'sessions.link': stream<LinkSample>()(one, z.never()),
  'sessions.activity': stream<ActivityBatch>()(one, z.never()),
} as const;
