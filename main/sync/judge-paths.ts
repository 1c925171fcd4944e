import type { Side } from './change.ts';
import { otherSide } from './change.ts';
import { compareContent } from './compare.ts';
import type { PathSituation } from './decide.ts';
import { decidePath, settle } from './decide.ts';
import type { Difference } from './decide.ts';
import type { Entry, Problem } from './entry.ts';
import type { AncestorUpdate, ReconcileInput, TreeVerdict } from './reconcile.ts';
import { ancestorsOf, depthOf } from './tree.ts';

export interface JudgedPaths {
  readonly verdicts: ReadonlyMap<string, TreeVerdict>;
  /** Paths that left the ancestor because a rule excludes them or their folder is no longer followed. */
  readonly forgotten: readonly AncestorUpdate[];
  readonly untracked: readonly { readonly path: string; readonly difference: Difference }[];
  readonly problems: readonly (Problem & { readonly side: Side })[];
}

/**
 * A verdict for every path that has to be looked at, consistent as a tree: a folder is deleted only when
 * everything in it is, and where one side has a folder and the other something else, one of them wins whole.
 */
export function judgePaths(input: ReconcileInput): JudgedPaths {
  const verdicts = new Map<string, TreeVerdict>();
  const forgotten: AncestorUpdate[] = [];
  const untracked: { path: string; difference: Difference }[] = [];
  const problems: (Problem & { side: Side })[] = [];
  const clashes = new Set<string>();
  const folderDeletes = new Set<string>();

  const pending: string[] = [];
  for (const path of input.paths ?? allPaths(input)) {
    pending.push(path);
    if (input.paths !== undefined)
      for (const folder of ancestorsOf(path)) if (isClash(input, folder)) pending.push(folder);
  }
  for (let index = 0; index < pending.length; index++) {
    const path = pending[index];
    if (path === undefined) break;
    if (verdicts.has(path)) continue;
    const verdict = judgeOne(input, path, forgotten, problems);
    verdicts.set(path, verdict);
    if (isClash(input, path) && !isOther(input, path)) clashes.add(path);
    const holder = folderDeletedFrom(input, path, verdict);
    if (holder === undefined) continue;
    folderDeletes.add(path);
    for (const child of input[holder].children(path)) pending.push(child);
  }

  const byDepth = [...clashes].sort((a, b) => depthOf(a) - depthOf(b));
  for (const path of byDepth) resolveClash(input, path, verdicts);
  const deepestFirst = [...folderDeletes].sort((a, b) => depthOf(b) - depthOf(a));
  for (const path of deepestFirst) {
    const outcome = checkFolderDelete(input, path, verdicts);
    if (outcome !== undefined) {
      verdicts.set(path, { kind: 'leave' });
      untracked.push({ path, difference: outcome });
      forgotten.push({ path, local: undefined, remote: undefined });
    }
  }
  return { verdicts, forgotten, untracked, problems };
}

function* allPaths(input: ReconcileInput): Generator<string> {
  yield* input.local.paths();
  yield* input.remote.paths();
  yield* input.ancestor.paths();
}

function isOther(input: ReconcileInput, path: string): boolean {
  return input.local.get(path)?.kind === 'other' || input.remote.get(path)?.kind === 'other';
}

/** One side has a folder there and the other one something else. */
function isClash(input: ReconcileInput, path: string): boolean {
  const local = input.local.get(path);
  const remote = input.remote.get(path);
  return (
    local !== undefined &&
    remote !== undefined &&
    (local.kind === 'directory') !== (remote.kind === 'directory')
  );
}

function judgeOne(
  input: ReconcileInput,
  path: string,
  forgotten: AncestorUpdate[],
  problems: (Problem & { side: Side })[],
): TreeVerdict {
  const [ancestor, local, remote] = [input.ancestor.get(path), input.local.get(path), input.remote.get(path)];
  const [wasOut, localOut, remoteOut] = [ancestor, local, remote].map(
    (entry) => entry !== undefined && isExcluded(input, path, entry),
  );
  if (wasOut === true || localOut === true || remoteOut === true) {
    if (ancestor !== undefined) forgotten.push({ path, local: undefined, remote: undefined });
    if (localOut === true || remoteOut === true) return { kind: 'leave' };
    // What was agreed on was of another kind, which the rules exclude by now; what is there has no past.
    if (isUnreadable(input, path)) return { kind: 'leave' };
    return decidePath({ ...situationOf(input, path), ancestor: undefined });
  }
  if (isUnreadable(input, path)) return { kind: 'leave' };
  if (local === undefined && remote === undefined) {
    if (ancestor === undefined) return { kind: 'none' };
    return { kind: 'record' };
  }
  for (const [side, entry] of [['local', local] as const, ['remote', remote] as const]) {
    if (entry?.kind !== 'other') continue;
    problems.push({ side, path, message: `${entry.description} is not synced` });
  }
  return decidePath(situationOf(input, path));
}

function isExcluded(input: ReconcileInput, path: string, entry: Entry): boolean {
  return input.rules.excluded(path, entry.kind === 'directory');
}

function isUnreadable(input: ReconcileInput, path: string): boolean {
  const { unreadable } = input;
  if (unreadable === undefined || (unreadable.local.size === 0 && unreadable.remote.size === 0)) return false;
  if (unreadable.local.has(path) || unreadable.remote.has(path)) return true;
  for (const folder of ancestorsOf(path)) {
    if (unreadable.local.has(folder) || unreadable.remote.has(folder)) return true;
  }
  return false;
}

export function situationOf(input: ReconcileInput, path: string): PathSituation {
  const [ancestor, local, remote] = [input.ancestor.get(path), input.local.get(path), input.remote.get(path)];
  const isDirectory = (local ?? remote ?? ancestor)?.kind === 'directory';
  return {
    ancestor,
    local,
    remote,
    strategy: input.strategy,
    initial: input.initial,
    rootChanged: typeof input.rootChanged === 'boolean' ? input.rootChanged : input.rootChanged.has(path),
    seed: input.seed?.get(path),
    difference: input.differences?.get(path),
    chosen: input.chosen?.get(path),
    modeMask: input.modes.mask,
    clockOffsetMs: input.clockOffsetMs,
    nowMs: input.nowMs,
    uploadBlocked: input.rules.uploadExcluded(path, isDirectory),
    downloadBlocked: input.rules.downloadExcluded(path, isDirectory),
  };
}

/** The side on which a verdict deletes a folder. */
function folderDeletedFrom(input: ReconcileInput, path: string, verdict: TreeVerdict): Side | undefined {
  if (verdict.kind !== 'take') return undefined;
  const holder = otherSide(verdict.from);
  return input[verdict.from].get(path) === undefined && input[holder].get(path)?.kind === 'directory'
    ? holder
    : undefined;
}

/** Makes one side win with everything below, or neither. */
function resolveClash(input: ReconcileInput, path: string, verdicts: Map<string, TreeVerdict>): void {
  let verdict = verdicts.get(path) ?? { kind: 'leave' };
  const folderSide: Side = input.local.get(path)?.kind === 'directory' ? 'local' : 'remote';
  const below = new Set([...input[folderSide].descendants(path), ...input.ancestor.descendants(path)]);
  const unread: string[] = [];
  if (verdict.kind === 'take' && verdict.from !== folderSide) {
    verdict = mayReplaceFolder(input, path, folderSide, below, verdict, unread);
  }
  verdicts.set(path, verdict);
  for (const child of below) {
    if (verdict.kind === 'take') {
      if (mayTake(input, child, verdict.from))
        verdicts.set(child, { kind: 'take', from: verdict.from, why: verdict.why });
      else verdicts.set(child, { kind: 'leave' });
    } else
      verdicts.set(child, {
        kind: verdict.kind === 'need-digest' || verdict.kind === 'wait' ? 'wait' : 'leave',
      });
  }
  for (const child of unread) verdicts.set(child, { kind: 'need-digest', sides: [folderSide] });
}

function mayTake(input: ReconcileInput, path: string, from: Side): boolean {
  const entry = input[from].get(path) ?? input[otherSide(from)].get(path);
  if (entry === undefined) return true;
  if (entry.kind === 'other' || isExcluded(input, path, entry) || isUnreadable(input, path)) return false;
  const { uploadBlocked, downloadBlocked } = situationOf(input, path);
  return !(from === 'local' ? uploadBlocked : downloadBlocked);
}

/** A folder gives way to something else only if nothing in it is new, excluded or unreadable; else the strategy decides. */
function mayReplaceFolder(
  input: ReconcileInput,
  path: string,
  folderSide: Side,
  below: ReadonlySet<string>,
  verdict: Extract<TreeVerdict, { kind: 'take' }>,
  unread: string[],
): TreeVerdict {
  let edited = false;
  for (const child of below) {
    const entry = input[folderSide].get(child);
    if (entry === undefined) continue;
    const situation = situationOf(input, child);
    const blocked = folderSide === 'local' ? situation.downloadBlocked : situation.uploadBlocked;
    if (blocked || entry.kind === 'other' || isExcluded(input, child, entry) || isUnreadable(input, child)) {
      return { kind: 'conflict', reason: 'kinds-differ' };
    }
    const change = compareContent(input.ancestor.get(child), entry);
    if (change === 'unknown') unread.push(child);
    if (change === 'different') edited = true;
  }
  if (unread.length > 0) return { kind: 'wait' };
  if (!edited || verdict.why !== 'propagate') return verdict;
  const settled = settle(situationOf(input, path), 'settled');
  return settled.kind === 'conflict' ? { kind: 'conflict', reason: 'kinds-differ' } : settled;
}

/** Undefined when the folder may go (or is kept by a child that comes back); else the difference that remains. */
function checkFolderDelete(
  input: ReconcileInput,
  path: string,
  verdicts: Map<string, TreeVerdict>,
): Difference | undefined {
  const verdict = verdicts.get(path);
  const holder = verdict === undefined ? undefined : folderDeletedFrom(input, path, verdict);
  if (verdict?.kind !== 'take' || holder === undefined) return undefined;
  let kept = false;
  let waits = false;
  for (const child of input[holder].children(path)) {
    const fate = verdicts.get(child);
    if (fate?.kind === 'take' && fate.from === holder) {
      // Something in the folder is worth keeping, so the folder comes back on the side that deleted it.
      verdicts.set(path, { kind: 'take', from: holder, why: 'propagate' });
      return undefined;
    }
    if (fate?.kind === 'need-digest' || fate?.kind === 'wait') waits = true;
    else if (fate?.kind !== 'take') kept = true;
  }
  if (waits) verdicts.set(path, { kind: 'wait' });
  else if (kept) return { local: input.local.get(path), remote: input.remote.get(path) };
  return undefined;
}
