import type { Change } from './change.ts';
import type { Hold, HoldRegistry } from './hold-registry.ts';
import { pathsOf } from './path-locks.ts';
import type { Reconciliation } from './reconcile.ts';

/**
 * Those of the paths just looked at that are held for something that would not happen any more: the deleted file is
 * back, or was edited meanwhile. Kept held, they would wait for an answer to a question that nobody asks now.
 */
export function outdatedHolds(
  paths: readonly string[],
  plan: Pick<Reconciliation, 'toLocal' | 'toRemote' | 'consent' | 'conflicts' | 'waiting'>,
  holds: Pick<HoldRegistry, 'of'>,
): readonly string[] {
  const undecided = new Set(plan.waiting);
  const held = paths.flatMap((path) => {
    const hold = undecided.has(path) ? undefined : holds.of(path);
    return hold === undefined ? [] : [{ path, hold }];
  });
  if (held.length === 0) return [];
  const consent = new Set(plan.consent.map(({ path }) => path));
  const conflicts = new Set(plan.conflicts.map(({ path }) => path));
  const planned = { local: changesByPath(plan.toLocal), remote: changesByPath(plan.toRemote) };
  const stands = (path: string, { kind, side }: Hold): boolean => {
    if (kind === 'conflict') return conflicts.has(path);
    if (kind === 'consent') return consent.has(path);
    const change = side === undefined ? undefined : planned[side].get(path);
    return change !== undefined && (kind !== 'brake' || change.kind === 'delete');
  };
  return held.filter(({ path, hold }) => !stands(path, hold)).map(({ path }) => path);
}

function changesByPath(changes: readonly Change[]): ReadonlyMap<string, Change> {
  return new Map(changes.flatMap((change) => pathsOf(change).map((path) => [path, change] as const)));
}
