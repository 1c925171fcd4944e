import type { SlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { LinkHealth } from '../helper/connection.ts';
import type { PatchBase } from './blocks/patch-bases.ts';
import type { Change } from './change.ts';
import type { Entry, EntryMap, Problem, RootIdentity } from './entry.ts';

export interface Scan {
  readonly entries: EntryMap;
  readonly problems: readonly Problem[];
  readonly root: RootIdentity;
  /** Something changed while scanning: scan again before deciding about deletions. */
  readonly moved: boolean;
}

/**
 * "Look here." Paths may be gone, unchanged or the endpoint's own writes: a hint is never more than a reason to
 * inspect. `entries` carries what was found where the endpoint already looked (undefined: gone).
 */
export interface Hint {
  readonly paths: readonly string[];
  readonly entries?: ReadonlyMap<string, Entry | undefined> | undefined;
  /** Those of the paths that are folders in which events were lost: they have to be scanned. */
  readonly folders?: readonly string[] | undefined;
  /** What is there and cannot be told or read: never taken for missing. */
  readonly problems?: readonly Problem[] | undefined;
  /** Events were lost: everything has to be scanned. */
  readonly overflow: boolean;
}

export interface Inspection {
  /** Every path asked for and not in `problems`; undefined: nothing is there. */
  readonly entries: ReadonlyMap<string, Entry | undefined>;
  readonly problems: readonly Problem[];
}

/** Files in the order asked for: `begin`, any number of `data` and (where a base was given) `copy`, `end`. */
export type FilePart =
  | {
      readonly kind: 'begin';
      readonly path: string;
      readonly entry: Entry;
      /** The base that was given is used: some of the content may come as `copy`. */
      readonly onBase?: boolean | undefined;
    }
  | { readonly kind: 'data'; readonly path: string; readonly data: Uint8Array }
  /** The next bytes are these of the base. */
  | { readonly kind: 'copy'; readonly path: string; readonly from: number; readonly length: number }
  | {
      readonly kind: 'end';
      readonly path: string;
      /** SHA-256 in hex of the content; empty with `error`. */
      readonly digest: string;
      /** Why there is no whole content; `changing` means that it was written to while being read. */
      readonly error?:
        { readonly kind: 'changing' | 'gone' | 'unreadable'; readonly message: string } | undefined;
    };

export type ReadFiles = (
  paths: readonly string[],
  options?: {
    /** Give what was read even when the file changed meanwhile. */
    readonly acceptChanging?: ReadonlySet<string> | undefined;
    /** What the reader's other side has of big files; asked when their turn comes. Undefined: the file travels whole. */
    readonly bases?: ReadonlyMap<string, () => Promise<PatchBase | undefined>> | undefined;
    /** Bulk waits behind what is read interactively. */
    readonly priority?: 'interactive' | 'bulk' | undefined;
    readonly signal?: AbortSignal | undefined;
  },
) => AsyncIterable<FilePart>;

export type ApplyOutcome =
  /** Done; `now` is what is there. */
  | {
      readonly kind: 'applied';
      readonly now: Entry | undefined;
      readonly inPlace: boolean;
      readonly bytes: number;
    }
  /** Something else than expected is there: `now`. Nothing was done. */
  | { readonly kind: 'mismatch'; readonly now: Entry | undefined }
  /** A directory that still has children that do not take part in the sync. */
  | { readonly kind: 'not-empty' }
  /** The source could not be read whole; nothing was done. */
  | {
      readonly kind: 'source-changed';
      readonly reason: 'changing' | 'gone' | 'unreadable';
      readonly message: string;
    }
  /** The system refused, by its name (ENOSPC, EACCES, EROFS …) and words. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** A path, length or digest that is not acceptable. */
  | { readonly kind: 'refused'; readonly message: string };

/** An old version in the container's own trash. */
export interface KeptVersion {
  readonly id: string;
  readonly path: string;
  /** What it was; only files have content. */
  readonly entry: Entry | undefined;
  readonly size: number;
  /** Milliseconds since the epoch, by the container's clock. */
  readonly trashedAt: number;
}

export interface ApplyOptions {
  readonly read: ReadFiles;
  readonly acceptChanging?: ReadonlySet<string> | undefined;
  readonly priority: 'interactive' | 'bulk';
  /** Called once for each change, in the order in which they ended. */
  readonly onOutcome: (change: Change, outcome: ApplyOutcome) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One side of a pair. The local disk, a container and the memory of a test look the same from the engine.
 * An endpoint that cannot answer rejects; it never answers with less than what is there.
 */
export interface Endpoint extends AsyncDisposable {
  readonly root: RootIdentity;
  /** This side's clock minus the laptop's in milliseconds; undefined when nobody measured it. */
  readonly clockOffsetMs: number | undefined;
  /** Bits that new files do not get here; undefined where files have no modes. */
  readonly umask: number | undefined;
  readonly onHint: Event<Hint>;
  /** Sentences for the user: watching by polling, a limit reached. */
  readonly onNotice: Event<string>;
  /** Resolves when the endpoint is of no more use; the engine connects anew. */
  readonly lost: Promise<SlipwayError>;

  scan(options?: {
    readonly below?: readonly string[];
    readonly signal?: AbortSignal | undefined;
  }): Promise<Scan>;
  /** Fresh entries; with `digest`, files come with their digest. */
  inspect(
    paths: readonly string[],
    options: { readonly digest: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<Inspection>;
  readonly read: ReadFiles;
  /** Old versions that this side keeps by itself; absent where there are none. */
  listTrash?(): Promise<readonly KeptVersion[]>;
  /** How the connection to this side is; absent where there is none. */
  health?(): LinkHealth | undefined;
  /** Applies in order. Rejects only when the endpoint is lost or the signal aborted. */
  apply(changes: readonly Change[], options: ApplyOptions): Promise<void>;
}
