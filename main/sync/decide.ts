import type { ChangeReason, Conflict, Side } from './change.ts';
import { compareContent, compareEntries, sameAsSeed } from './compare.ts';
import type { Entry } from './entry.ts';
import type { Strategy } from './strategy.ts';

/** A path that is known to differ and left so: what was there when that was decided. */
export interface Difference {
  readonly local: Entry | undefined;
  readonly remote: Entry | undefined;
}

export interface PathSituation {
  readonly ancestor: Entry | undefined;
  readonly local: Entry | undefined;
  readonly remote: Entry | undefined;
  readonly strategy: Strategy;
  /** The pair was never in sync: the strategy decides what to do, not only who wins. */
  readonly initial: boolean;
  /** The remote root is another one than the ancestor's: what is found on it is not a change. */
  readonly rootChanged: boolean;
  /** What the remote root held when it was first seen. */
  readonly seed?: Entry | undefined;
  readonly difference?: Difference | undefined;
  /** Somebody chose a side for this path. */
  readonly chosen?: Side | undefined;
  readonly modeMask: number;
  /** Container's clock minus the laptop's; undefined when not known. */
  readonly clockOffsetMs?: number | undefined;
  /** The laptop's clock in milliseconds since 1970; undefined: no time counts as lying in the future. */
  readonly nowMs?: number | undefined;
  readonly uploadBlocked: boolean;
  readonly downloadBlocked: boolean;
}

export type Verdict =
  /** Nothing to do. */
  | { readonly kind: 'none' }
  /** The sides differ and that is how it stays: rules, a kind that is never synced, a remembered difference. */
  | { readonly kind: 'leave' }
  /** Both sides agree: the ancestor becomes what they hold. */
  | { readonly kind: 'record' }
  /** The other side becomes what `from` holds, which may be nothing. */
  | { readonly kind: 'take'; readonly from: Side; readonly why: ChangeReason }
  | { readonly kind: 'conflict'; readonly reason: Conflict['reason'] }
  | { readonly kind: 'need-digest'; readonly sides: readonly Side[] };

/** Clocks further apart than this are not asked who is newer. */
export const clockSkewLimitMs = 2000;

const none: Verdict = { kind: 'none' };
const leave: Verdict = { kind: 'leave' };

/** What becomes of one path, its parents and children left aside. Never decides to drop content that no rule gives up. */
export function decidePath(situation: PathSituation): Verdict {
  const { ancestor, local, remote, modeMask, difference } = situation;
  if (local?.kind === 'other' || remote?.kind === 'other') return leave;
  const sides = compareEntries(local, remote, modeMask);
  if (sides === 'unknown') return needDigest(local, remote);
  if (sides === 'same') {
    if (local === undefined && ancestor === undefined) return none;
    return compareEntries(ancestor, local, modeMask) === 'same' ? none : { kind: 'record' };
  }
  if (situation.chosen !== undefined) {
    const wanted = take(situation.chosen, 'settled');
    return blocked(situation, wanted) ? leave : wanted;
  }
  if (difference !== undefined && stillDiffers(situation, difference)) return leave;
  if (situation.rootChanged && seedNeedsDigest(remote, situation.seed))
    return { kind: 'need-digest', sides: ['remote'] };
  const verdict = ancestor === undefined ? withoutAncestor(situation) : withAncestor(situation, ancestor);
  return blocked(situation, verdict) ? leave : verdict;
}

function needDigest(local: Entry | undefined, remote: Entry | undefined): Verdict {
  const sides: Side[] = [];
  if (local?.kind === 'file' && local.digest === undefined) sides.push('local');
  if (remote?.kind === 'file' && remote.digest === undefined) sides.push('remote');
  return { kind: 'need-digest', sides };
}

/** The image's file may only look new: its times changed, its digest can tell. */
function seedNeedsDigest(remote: Entry | undefined, seed: Entry | undefined): boolean {
  if (remote?.kind !== 'file' || seed?.kind !== 'file' || remote.digest !== undefined) return false;
  return seed.digest !== undefined && seed.size === remote.size && seed.mtimeNs !== remote.mtimeNs;
}

function stillDiffers({ local, remote }: PathSituation, difference: Difference): boolean {
  return sameAsSeed(local, difference.local) && sameAsSeed(remote, difference.remote);
}

function blocked(situation: PathSituation, verdict: Verdict): boolean {
  if (verdict.kind === 'conflict') return situation.uploadBlocked && situation.downloadBlocked;
  if (verdict.kind !== 'take') return false;
  return verdict.from === 'local' ? situation.uploadBlocked : situation.downloadBlocked;
}

function withoutAncestor(situation: PathSituation): Verdict {
  const { local, remote, rootChanged, initial, seed } = situation;
  if (rootChanged && !initial && remote !== undefined && sameAsSeed(remote, seed)) {
    // A file of the image that both sides had agreed to do without, or that never was allowed to come down.
    if (local === undefined && situation.downloadBlocked) return leave;
    return take('local', 'restored-root');
  }
  if (local !== undefined && remote !== undefined)
    return settle(situation, initial ? 'first-sync' : 'settled');
  const holder: Side = local === undefined ? 'remote' : 'local';
  return initial ? firstOneSided(situation, holder) : take(holder, 'propagate');
}

/** First sync, and only `holder` has the path. */
function firstOneSided(situation: PathSituation, holder: Side): Verdict {
  const { strategy, uploadBlocked, downloadBlocked } = situation;
  if (strategy === 'disabled') return leave;
  const deleting = strategy === (holder === 'local' ? 'mirrorRemote' : 'mirrorLocal');
  const deletionBlocked = holder === 'local' ? downloadBlocked : uploadBlocked;
  if (deleting && !deletionBlocked) return take(holder === 'local' ? 'remote' : 'local', 'first-sync');
  return take(holder, deleting ? 'first-sync' : 'propagate');
}

function withAncestor(situation: PathSituation, ancestor: Entry): Verdict {
  const { local, remote, modeMask, rootChanged, seed } = situation;
  if (rootChanged && (remote === undefined || sameAsSeed(remote, seed)))
    return take('local', 'restored-root');
  const localChange = compareEntries(ancestor, local, modeMask);
  const remoteChange = compareEntries(ancestor, remote, modeMask);
  if (localChange === 'unknown' && needsHash(local)) return { kind: 'need-digest', sides: ['local'] };
  if (remoteChange === 'unknown' && needsHash(remote)) return { kind: 'need-digest', sides: ['remote'] };
  if (remoteChange === 'same') return localChange === 'same' ? none : take('local', why(rootChanged));
  if (localChange === 'same' && !rootChanged) return take('remote', 'propagate');

  if (local === undefined || remote === undefined) {
    // An edit beats a delete; a folder whose mode alone changed is no edit.
    const survivor: Side = local === undefined ? 'remote' : 'local';
    const modeOnly = (local ?? remote)?.kind === 'directory' && ancestor.kind === 'directory';
    return take(modeOnly ? (survivor === 'local' ? 'remote' : 'local') : survivor, 'propagate');
  }
  const localContent = compareContent(ancestor, local);
  const remoteContent = compareContent(ancestor, remote);
  if (!rootChanged && localContent === 'same' && remoteContent === 'different')
    return take('remote', 'propagate');
  if (!rootChanged && remoteContent === 'same' && localContent === 'different')
    return take('local', 'propagate');
  return settle(situation, 'settled');
}

function why(rootChanged: boolean): ChangeReason {
  return rootChanged ? 'restored-root' : 'propagate';
}

function needsHash(entry: Entry | undefined): boolean {
  return entry?.kind === 'file' && entry.digest === undefined;
}

function take(from: Side, reason: ChangeReason): Verdict {
  return { kind: 'take', from, why: reason };
}

/** Both sides hold something, and neither is the other's past. */
export function settle(situation: PathSituation, reason: 'first-sync' | 'settled'): Verdict {
  const { local, remote } = situation;
  if (local?.kind === 'directory' && remote?.kind === 'directory')
    return settleFolderMode(situation.strategy);
  switch (situation.strategy) {
    case 'mirrorLocal':
    case 'preferLocal':
      return take('local', reason);
    case 'mirrorRemote':
    case 'preferRemote':
      return take('remote', reason);
    case 'preferNewest':
      return settleByTime(situation, reason);
    case 'keepAll':
    case 'disabled':
      return { kind: 'conflict', reason: kindsDiffer(situation) ? 'kinds-differ' : 'both-changed' };
  }
}

/** Two folders differ in their mode only: nothing is lost either way, so nobody is asked. */
function settleFolderMode(strategy: Strategy): Verdict {
  if (strategy === 'mirrorLocal' || strategy === 'preferLocal') return take('local', 'propagate');
  if (strategy === 'mirrorRemote' || strategy === 'preferRemote') return take('remote', 'propagate');
  return leave;
}

function settleByTime(
  { local, remote, clockOffsetMs, nowMs }: PathSituation,
  reason: 'first-sync' | 'settled',
): Verdict {
  const unreliable: Verdict = { kind: 'conflict', reason: 'clock-unreliable' };
  if (local?.kind !== 'file' || remote?.kind !== 'file') return unreliable;
  if (clockOffsetMs === undefined || Math.abs(clockOffsetMs) > clockSkewLimitMs) return unreliable;
  const remoteNs = remote.mtimeNs - BigInt(Math.round(clockOffsetMs * 1e6));
  // Whatever wrote a time that has not come yet did not write it by either clock.
  const latestNs = nowMs === undefined ? undefined : BigInt(Math.round((nowMs + clockSkewLimitMs) * 1e6));
  if (latestNs !== undefined && (local.mtimeNs > latestNs || remoteNs > latestNs)) return unreliable;
  const difference = local.mtimeNs - remoteNs;
  if (difference === 0n) return unreliable;
  return take(difference > 0n ? 'local' : 'remote', reason);
}

function kindsDiffer({ local, remote }: PathSituation): boolean {
  return local?.kind !== remote?.kind;
}
