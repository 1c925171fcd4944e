/**
 * One path as found on one side. Absent is `undefined`, never an entry. Digests are SHA-256 in lower-case hex,
 * present when somebody has read the content since it last changed. Times are nanoseconds since the epoch.
 */
export type Entry =
  | {
      readonly kind: 'file';
      /** Permission bits, 0o7777. */
      readonly mode: number;
      readonly size: number;
      readonly digest?: string | undefined;
      readonly mtimeNs: bigint;
      readonly ctimeNs: bigint;
      readonly inode: bigint;
      readonly links: number;
    }
  | { readonly kind: 'directory'; readonly mode: number; readonly inode: bigint }
  | { readonly kind: 'symlink'; readonly target: string }
  /** Socket, FIFO, device: reported, never read, never touched. */
  | { readonly kind: 'other'; readonly description: string };

/** A path that could not be read; never to be taken for a missing one. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Relative path, '/' between parts, never empty, no '.' or '..' parts; keys in no particular order. */
export type EntryMap = ReadonlyMap<string, Entry>;

/** Which folder a scan was made of. Another identity means that nothing found there is a change. */
export interface RootIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  /** What contains the root: pod UID and container id on the remote side, the machine on the local one. */
  readonly container: string;
}
