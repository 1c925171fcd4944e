import type { Change, ChangeReason, FileEntry, Side } from './change.ts';
import { otherSide } from './change.ts';
import { compareContent } from './compare.ts';
import type { Entry, Problem } from './entry.ts';
import type { GuardVerdict, ReconcileInput, TreeVerdict } from './reconcile.ts';
import { ancestorsOf, depthOf } from './tree.ts';

interface SideOutput {
  readonly changes: readonly Change[];
  readonly consent: readonly { readonly path: string; readonly message: string }[];
  readonly problems: readonly (Problem & { readonly side: Side })[];
}

export interface EmittedChanges {
  readonly local: SideOutput;
  readonly remote: SideOutput;
  /** Paths whose folder cannot be made yet: the picture of a side was taken in the middle of a change. */
  readonly waiting: readonly string[];
}

/** Steps in the order of {@link orderOf}, collected per kind. */
class Steps {
  readonly removals: Change[] = [];
  readonly folders = new Map<string, Change>();
  readonly folderRemovals: Change[] = [];
  readonly foldersAfterRemoval = new Map<string, Change>();
  readonly contents: Change[] = [];
  readonly modes: Change[] = [];
  /** Paths where one kind gives way to another. */
  readonly flips = new Set<string>();
  readonly consent: { path: string; message: string }[] = [];
  readonly problems: (Problem & { side: Side })[] = [];
}

/** Turns verdicts into ordered steps per side: parents before children, deletes deepest first, renames where content only moved. */
export function emitChanges(
  input: ReconcileInput,
  verdicts: ReadonlyMap<string, TreeVerdict>,
): EmittedChanges {
  const steps = { local: new Steps(), remote: new Steps() };
  const waiting: string[] = [];
  for (const side of ['local', 'remote'] as const) {
    for (const [path, verdict] of verdicts) {
      if (verdict.kind === 'take' && verdict.from !== side && isFlip(input, path))
        steps[side].flips.add(path);
    }
  }
  for (const [path, verdict] of verdicts) {
    if (verdict.kind !== 'take') continue;
    const target = otherSide(verdict.from);
    if (!emitPath(input, verdicts, steps[target], target, path, verdict.why)) waiting.push(path);
  }
  return {
    local: finish(input, 'local', steps.local),
    remote: finish(input, 'remote', steps.remote),
    waiting,
  };
}

function isFlip(input: ReconcileInput, path: string): boolean {
  const local = input.local.get(path);
  const remote = input.remote.get(path);
  return local !== undefined && remote !== undefined && local.kind !== remote.kind;
}

/** False when the path has to wait. */
function emitPath(
  input: ReconcileInput,
  verdicts: ReadonlyMap<string, TreeVerdict>,
  steps: Steps,
  target: Side,
  path: string,
  why: ChangeReason,
): boolean {
  const source = input[otherSide(target)].get(path);
  const expected = input[target].get(path);
  const keep = target === 'remote' && (why === 'settled' || why === 'first-sync') ? 'laptop' : 'side';
  const common = { path, keep, why } as const;
  if (source === undefined) {
    if (expected === undefined) return true;
    const list = expected.kind === 'directory' ? steps.folderRemovals : steps.removals;
    list.push({ ...common, kind: 'delete', expected });
    return true;
  }
  const guard = guardOf(input, target, path, source);
  if (guard.kind === 'consent') steps.consent.push({ path, message: guard.message });
  if (guard.kind === 'refuse') steps.problems.push({ side: target, path, message: guard.message });
  if (guard.kind !== 'allow') return true;
  if (!ensureParents(input, verdicts, steps, target, path)) return false;
  const flip = expected !== undefined && expected.kind !== source.kind;
  if (flip) {
    const list = expected.kind === 'directory' ? steps.folderRemovals : steps.removals;
    list.push({ ...common, kind: 'delete', expected });
  }
  const present = flip ? undefined : expected;
  switch (source.kind) {
    case 'directory':
      emitFolder(input, steps, target, { path, why, mode: source.mode, present, keep });
      break;
    case 'symlink':
      if (present !== undefined) steps.removals.push({ ...common, kind: 'delete', expected: present });
      steps.contents.push({ ...common, kind: 'symlink', expected: undefined, target: source.target });
      break;
    case 'file':
      steps.contents.push(fileStep(input, target, common, source, present));
      break;
    case 'other':
      break;
  }
  return true;
}

function fileStep(
  input: ReconcileInput,
  target: Side,
  common: { readonly path: string; readonly keep: 'side' | 'laptop'; readonly why: ChangeReason },
  source: FileEntry,
  present: Entry | undefined,
): Change {
  const mode = targetMode(input, target, source.mode, present, 0o644);
  if (present !== undefined && compareContent(source, present) === 'same') {
    return { ...common, kind: 'chmod', expected: present, mode };
  }
  return { ...common, kind: 'put', expected: present, source, mode };
}

/** A mode as it is set on a side: never set-user-id, never wider than that side's umask allows. */
function targetMode(
  input: ReconcileInput,
  target: Side,
  mode: number,
  present: Entry | undefined,
  fallback: number,
): number {
  const { mask, localUmask, remoteUmask } = input.modes;
  if (mask === 0) return present !== undefined && 'mode' in present ? present.mode & 0o777 : fallback;
  return mode & 0o777 & ~(target === 'local' ? localUmask : remoteUmask);
}

function emitFolder(
  input: ReconcileInput,
  steps: Steps,
  target: Side,
  folder: {
    readonly path: string;
    readonly why: ChangeReason;
    readonly mode: number;
    readonly present: Entry | undefined;
    readonly keep: 'side' | 'laptop';
  },
): void {
  const { path, why, present, keep } = folder;
  const mode = targetMode(input, target, folder.mode, present, 0o755);
  if (present === undefined) {
    // Writable until its children are in.
    const opened = mode | 0o700;
    const list = belowFlip(steps, path) ? steps.foldersAfterRemoval : steps.folders;
    list.set(path, { path, keep, why, kind: 'directory', expected: undefined, mode: opened });
    if (opened === mode) return;
    steps.modes.push({
      path,
      keep,
      why,
      kind: 'chmod',
      expected: { kind: 'directory', mode: opened, inode: 0n },
      mode,
    });
  } else steps.modes.push({ path, keep, why, kind: 'chmod', expected: present, mode });
}

function belowFlip(steps: Steps, path: string): boolean {
  if (steps.flips.has(path)) return true;
  for (const folder of ancestorsOf(path)) if (steps.flips.has(folder)) return true;
  return false;
}

/** Folders on the way that the target lacks are made; false when something else stands in the way. */
function ensureParents(
  input: ReconcileInput,
  verdicts: ReadonlyMap<string, TreeVerdict>,
  steps: Steps,
  target: Side,
  path: string,
): boolean {
  for (const folder of ancestorsOf(path)) {
    const present = input[target].get(folder);
    const verdict = verdicts.get(folder);
    const replaced = verdict?.kind === 'take' && verdict.from !== target && steps.flips.has(folder);
    if (present?.kind === 'directory' || replaced) continue;
    if (present !== undefined) return false;
    if (steps.folders.has(folder) || steps.foldersAfterRemoval.has(folder)) continue;
    const source = input[otherSide(target)].get(folder);
    const mode = source?.kind === 'directory' ? source.mode : 0o755;
    emitFolder(input, steps, target, {
      path: folder,
      why: 'propagate',
      mode,
      present: undefined,
      keep: 'side',
    });
  }
  return true;
}

function guardOf(input: ReconcileInput, target: Side, path: string, entry: Entry): GuardVerdict {
  const guard = target === 'local' ? input.guardLocal : input.guardRemote;
  return guard === undefined ? { kind: 'allow' } : guard(path, entry);
}

function finish(input: ReconcileInput, side: Side, steps: Steps): SideOutput {
  const renames = findRenames(steps, side, input);
  const modes = dedupe(steps.modes);
  return {
    changes: [
      ...steps.removals.filter((change) => !renames.from.has(change.path)),
      ...byDepth([...steps.folders.values()], 1),
      ...renames.changes,
      ...byDepth(steps.folderRemovals, -1),
      ...byDepth([...steps.foldersAfterRemoval.values()], 1),
      ...steps.contents.filter((change) => !renames.to.has(change.path)),
      ...byDepth(modes, -1),
    ],
    consent: steps.consent,
    problems: steps.problems,
  };
}

function dedupe(changes: readonly Change[]): Change[] {
  return [...new Map(changes.map((change) => [change.path, change])).values()];
}

function byDepth(changes: readonly Change[], direction: 1 | -1): readonly Change[] {
  if (changes.length < 2) return changes;
  return changes
    .map((change) => ({ change, depth: depthOf(change.path) }))
    .sort((a, b) => (a.depth - b.depth) * direction)
    .map(({ change }) => change);
}

interface Renames {
  readonly changes: readonly Change[];
  readonly from: ReadonlySet<string>;
  readonly to: ReadonlySet<string>;
}

/** Pairs a file that goes with one of the same digest that comes, so that moved content is not sent again. */
function findRenames(steps: Steps, side: Side, input: ReconcileInput): Renames {
  const leaving = new Map<string, Change[]>();
  for (const change of steps.removals) {
    const entry = change.expected;
    if (change.why === 'settled' || change.why === 'first-sync' || steps.flips.has(change.path)) continue;
    if (input.mayRename?.(change.path) === false) continue;
    if (entry?.kind !== 'file' || entry.digest === undefined || entry.size === 0) continue;
    const same = leaving.get(entry.digest);
    if (same === undefined) leaving.set(entry.digest, [change]);
    else same.push(change);
  }
  const changes: Change[] = [];
  const from = new Set<string>();
  const to = new Set<string>();
  if (leaving.size === 0) return { changes, from, to };
  const past = (path: string): Entry | undefined => input.ancestor.get(path);
  for (const change of steps.contents) {
    if (change.kind !== 'put' || change.expected !== undefined || change.source.digest === undefined)
      continue;
    if (belowFlip(steps, change.path)) continue;
    const candidates = leaving.get(change.source.digest);
    if (candidates === undefined) continue;
    // The same inode says which of several equal files moved; without one any of them will do.
    const sameInode = candidates.findIndex(({ path }) => {
      const entry = past(path);
      return side === 'remote' && entry?.kind === 'file' && entry.inode === change.source.inode;
    });
    const [leaver] = candidates.splice(Math.max(sameInode, 0), 1);
    if (leaver === undefined) continue;
    const { path, expected, keep, why } = leaver;
    changes.push({ kind: 'rename', path, to: change.path, mode: change.mode, expected, keep, why });
    from.add(path);
    to.add(change.path);
  }
  return { changes, from, to };
}
