import type { Event } from '../base/event.ts';
import type {
  Changes,
  Entry,
  Operation,
  OperationResult,
  Problem,
  RootIdentity,
  Rule,
  Signature,
  TrashItem,
  WatchState,
  WriteMode,
} from './gen/slipway/helper/v1/helper.ts';
import type { SlipwayError } from '../base/errors.ts';

export interface HelperConnectionOptions {
  /** Absolute path of the sync root in the container. */
  readonly root: string;
  readonly createRoot: boolean;
  /** Only this name below the root may be touched: a pair of two single files. */
  readonly singleName?: string | undefined;
  readonly writeMode: WriteMode;
  readonly rules: readonly Rule[];
  readonly poll: boolean;
  /** Grows with each attach of a session; a helper with a smaller one ends before it applies anything. */
  readonly epoch: number;
  readonly trashCapBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface BatchItem {
  readonly operation: Operation;
  /** The slice of a `put`, or what a `patch` does not copy. */
  readonly body?: Uint8Array | undefined;
}

export interface RemoteScan {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly problems: readonly Problem[];
  readonly root: RootIdentity;
  /** Something changed while scanning: scan again before deciding about deletions. */
  readonly moved: boolean;
}

export interface ContentPart {
  readonly path: string;
  /** On the first part of a file. */
  readonly entry?: Entry | undefined;
  readonly data?: Uint8Array | undefined;
  /** Instead of data, where a base was given: the next bytes are these of the base. */
  readonly copied?: { readonly from: number; readonly length: number } | undefined;
  /** On the last part: digest of what was sent, or why it could not be read. */
  readonly end?: { readonly digest: Uint8Array; readonly error: string } | undefined;
}

/** Most bytes a second in each direction, over all transfers of a pair. Absent: as many as the link takes. */
export interface BandwidthLimits {
  readonly upBytesPerSecond?: number | undefined;
  readonly downBytesPerSecond?: number | undefined;
}

/** One of the two streams as it is at one moment. */
export interface StreamLife {
  /** Milliseconds since anything came from the helper. */
  readonly silentMs: number;
  /** Of the latest ping that was answered. */
  readonly roundTripMs: number | undefined;
  /** That were sent and received on this stream since it was opened. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** How both streams of a pair are. */
export interface LinkHealth {
  readonly up: StreamLife;
  readonly down: StreamLife;
  readonly limits: BandwidthLimits;
}

export interface ReadContentOptions {
  /** What we have of the one path asked for. */
  readonly base?: Signature | undefined;
  /** The file there as we know it, with its digest: while it is the same, it is not hashed for a base again. */
  readonly known?: Entry | undefined;
  readonly priority?: 'interactive' | 'bulk' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The two helper processes of one pair (upstream and downstream) and what they ride on. Everything that the
 * helper says has been checked for form, lengths and safe paths before it appears here; contents have not.
 * After `lost` resolved every call rejects with the same error; a new connection is made with a larger epoch.
 */
export interface HelperConnection extends AsyncDisposable {
  readonly root: RootIdentity;
  /** Container's clock minus ours in milliseconds, by the half round trip of the first ping. */
  readonly clockOffsetMs: number;
  readonly remoteUmask: number;
  readonly remoteUid: number;
  /** Pushed as they happen, complete for the paths they name. */
  readonly onChanges: Event<Changes>;
  readonly onWatchState: Event<WatchState>;
  readonly lost: Promise<SlipwayError>;

  scan(options: { readonly below: readonly string[]; readonly signal?: AbortSignal }): Promise<RemoteScan>;
  /** Files in the order asked for. Back-pressure reaches the helper: an unread iterator stalls only this request. */
  readContent(paths: readonly string[], options?: ReadContentOptions): AsyncIterable<ContentPart>;
  /** Describes a file for {@link ReadContentOptions.base} of the other direction; undefined: it cannot be. */
  sign(path: string, signal?: AbortSignal): Promise<Signature | undefined>;
  checksums(paths: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Entry>>;
  /**
   * Sends one batch and resolves with the acknowledged result per operation. Bodies of one call are at most 1 MiB
   * in sum. Interactive batches overtake bulk ones that have not been sent; order within a priority is kept.
   */
  apply(items: readonly BatchItem[], priority: 'interactive' | 'bulk'): Promise<readonly OperationResult[]>;
  /** Bytes of bodies that one batch should have at most, so that an interactive one waits less than a second for it. */
  readonly sliceBytes: number;
  limitBandwidth(limits: BandwidthLimits): void;
  /** Absent where nobody measures it. */
  health?(): LinkHealth;
  listTrash(): Promise<{ readonly items: readonly TrashItem[]; readonly totalBytes: number }>;
}

