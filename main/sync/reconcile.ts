import type { Change, Conflict, Side } from './change.ts';
import type { ModePolicy } from './compare.ts';
import type { Difference, Verdict } from './decide.ts';
import type { Entry, Problem } from './entry.ts';
import { emitChanges } from './emit-changes.ts';
import { judgePaths } from './judge-paths.ts';
import type { PathRules } from './rules.ts';
import type { Strategy } from './strategy.ts';
import type { TreeView } from './tree.ts';

/** What a side thinks of an entry that would be created on it. */
export type GuardVerdict =
  | { readonly kind: 'allow' }
  /** Never: the name cannot exist there, or the link points out of the root. */
  | { readonly kind: 'refuse'; readonly message: string }
  /** Only after somebody agreed. */
  | { readonly kind: 'consent'; readonly message: string };

export type Guard = (path: string, entry: Entry) => GuardVerdict;

export interface ReconcileInput {
  readonly ancestor: TreeView;
  readonly local: TreeView;
  readonly remote: TreeView;
  /** The paths to look at; everything when absent. Parents, and children of vanished folders, are looked at as needed. */
  readonly paths?: Iterable<string> | undefined;
  readonly rules: PathRules;
  readonly strategy: Strategy;
  readonly initial: boolean;
  /** The remote root is another one than the ancestor's, for all paths or for those named. */
  readonly rootChanged: boolean | ReadonlySet<string>;
  readonly seed?: TreeView | undefined;
  readonly differences?: ReadonlyMap<string, Difference> | undefined;
  /** Sides chosen by somebody for single paths. */
  readonly chosen?: ReadonlyMap<string, Side> | undefined;
  readonly modes: ModePolicy;
  readonly clockOffsetMs?: number | undefined;
  /** The laptop's clock, so that times in the future decide nothing. */
  readonly nowMs?: number | undefined;
  /** Paths that could not be read; they and everything below them are left alone. */
  readonly unreadable?:
    { readonly local: ReadonlySet<string>; readonly remote: ReadonlySet<string> } | undefined;
  /** False for a path that could not be moved before: it is sent and deleted instead. True for all when absent. */
  readonly mayRename?: ((path: string) => boolean) | undefined;
  readonly guardLocal?: Guard | undefined;
  readonly guardRemote?: Guard | undefined;
}

export interface AncestorUpdate {
  readonly path: string;
  /** Undefined: the ancestor forgets the path. */
  readonly local: Entry | undefined;
  readonly remote: Entry | undefined;
}

export interface Reconciliation {
  /** In the order in which they have to be applied. */
  readonly toLocal: readonly Change[];
  readonly toRemote: readonly Change[];
  /** Only what needs no transfer: both sides already agree, or the path left. */
  readonly ancestorUpdates: readonly AncestorUpdate[];
  readonly conflicts: readonly Conflict[];
  /** Changes for the laptop that wait for consent, with why. */
  readonly consent: readonly { readonly path: string; readonly message: string }[];
  readonly problems: readonly (Problem & { readonly side: 'local' | 'remote' })[];
  /** Folders that one side deleted and the other has to keep: they are no longer followed. */
  readonly untracked: readonly { readonly path: string; readonly difference: Difference }[];
  readonly needsDigest: { readonly local: readonly string[]; readonly remote: readonly string[] };
  /** Paths that were not decided because of `needsDigest`, or because their folder cannot be made yet. */
  readonly waiting: readonly string[];
}

/**
 * Compares both sides with what they last agreed on and says what to do. Pure: no clock, no input or output.
 * Its cost depends on the paths looked at, not on the size of the trees.
 */
export function reconcile(input: ReconcileInput): Reconciliation {
  const judged = judgePaths(input);
  const digests = { local: [] as string[], remote: [] as string[] };
  const waiting: string[] = [];
  const conflicts: Conflict[] = [];
  const ancestorUpdates: AncestorUpdate[] = [...judged.forgotten];
  for (const [path, verdict] of judged.verdicts) {
    const local = input.local.get(path);
    const remote = input.remote.get(path);
    switch (verdict.kind) {
      case 'record':
        ancestorUpdates.push({ path, ...shareDigest(local, remote) });
        break;
      case 'conflict':
        conflicts.push({ path, local, remote, reason: verdict.reason });
        break;
      case 'need-digest':
        for (const side of verdict.sides) digests[side].push(path);
        waiting.push(path);
        break;
      case 'wait':
        waiting.push(path);
        break;
      case 'none':
      case 'leave':
      case 'take':
        break;
    }
  }
  const emitted = emitChanges(input, judged.verdicts);
  return {
    toLocal: emitted.local.changes,
    toRemote: emitted.remote.changes,
    ancestorUpdates,
    conflicts,
    consent: [...emitted.local.consent, ...emitted.remote.consent],
    problems: [...judged.problems, ...emitted.local.problems, ...emitted.remote.problems],
    untracked: judged.untracked,
    needsDigest: digests,
    waiting: [...waiting, ...emitted.waiting],
  };
}

/** Equal files have one digest, whoever computed it. */
function shareDigest(
  local: Entry | undefined,
  remote: Entry | undefined,
): { readonly local: Entry | undefined; readonly remote: Entry | undefined } {
  if (local?.kind !== 'file' || remote?.kind !== 'file') return { local, remote };
  const digest = local.digest ?? remote.digest;
  return { local: { ...local, digest }, remote: { ...remote, digest } };
}

/** A verdict within a tree: `wait` depends on a digest that another path needs. */
export type TreeVerdict = Verdict | { readonly kind: 'wait' };
