import type { ConflictNote, ConflictVersions, FileVersion } from '../../contract/sessions.ts';
import { SlipwayError } from '../base/errors.ts';
import type { PairView } from '../sync/pair-view.ts';
import type { TrashedVersion } from '../sync/trash.ts';

type View = Pick<PairView, 'trashed' | 'trashedVersion' | 'version' | 'restore'>;

/**
 * Both versions of a conflict. While it is held both are where they were; once it is settled the one that won is read
 * from this machine, or from the container where that is asked for, and the other one from the trash.
 */
export async function conflictVersions(
  view: View,
  note: ConflictNote,
  options: { readonly fresh: boolean; readonly signal?: AbortSignal | undefined },
): Promise<ConflictVersions> {
  const { path, winner, loser } = note;
  const { fresh, signal } = options;
  if (winner === 'none' || loser === 'permissions') {
    const [local, remote] = await Promise.all([
      view.version('laptop', path, signal),
      view.version('container', path, signal),
    ]);
    return { local, remote, canSwap: false };
  }
  const lost = loser === 'trashed' ? await loserOf(view, note) : undefined;
  const [won, other] = await Promise.all([
    view.version(fresh ? 'container' : 'laptop', path, signal),
    lost === undefined ? lostUntold(loser) : view.trashedVersion(lost, signal),
  ]);
  const versions = winner === 'local' ? { local: won, remote: other } : { local: other, remote: won };
  return { ...versions, canSwap: lost !== undefined };
}

/** Puts the version that lost in its place; resolves with what happened, as a sentence. */
export async function swapConflict(view: View, note: ConflictNote): Promise<string> {
  const lost = note.loser === 'trashed' ? await loserOf(view, note) : undefined;
  if (lost === undefined || note.winner === 'none') {
    throw new SlipwayError({
      code: 'sync.path-refused',
      message: `The other version of ${note.path} cannot be taken.`,
      cause:
        note.winner === 'none'
          ? 'Nobody has won yet: the conflict waits for an answer.'
          : 'It is not in the trash of this machine, or not any more.',
      next: note.winner === 'none' ? 'Answer it.' : 'Look for its path in the trash.',
    });
  }
  await view.restore(lost.id);
  const [taken, before] = note.winner === 'local' ? sides : [sides[1], sides[0]];
  return `${note.path}: ${taken} version is taken; ${before} one is in the trash.`;
}

const sides = ['the container’s', 'this machine’s'] as const;

async function loserOf(view: View, note: ConflictNote): Promise<TrashedVersion | undefined> {
  const { path, winner, at, swappedAt } = note;
  return loserAmong(await view.trashed(), {
    path,
    winner,
    at: Date.parse(at),
    swappedAt: swappedAt === undefined ? undefined : Date.parse(swappedAt),
  });
}

function lostUntold(loser: ConflictNote['loser']): FileVersion {
  const where = 'trash';
  if (loser === 'link') return { where, kind: 'symlink' };
  if (loser === 'folder') return { where, kind: 'directory' };
  return { where, kind: 'missing' };
}

/**
 * The version that lost a conflict, among the trash's: the latest of its kind from shortly before the conflict was told,
 * or after a swap the one that the swap put away.
 */
export function loserAmong(
  versions: readonly TrashedVersion[],
  note: {
    readonly path: string;
    readonly winner: 'local' | 'remote' | 'none';
    readonly at: number;
    readonly swappedAt: number | undefined;
  },
): TrashedVersion | undefined {
  const { path, winner, at, swappedAt } = note;
  if (winner === 'none') return undefined;
  const moment = swappedAt ?? at;
  const origin = winner === 'local' ? 'remote' : 'local';
  const isLoser = ({ reason, origin: from }: TrashedVersion): boolean =>
    swappedAt === undefined ? reason === 'conflict' && from === origin : reason === 'overwritten';
  let latest: TrashedVersion | undefined;
  for (const version of versions) {
    const { trashedAt } = version;
    if (version.path !== path || !isLoser(version)) continue;
    if (trashedAt > moment + toldWithinMs || trashedAt < moment - toldAfterMs) continue;
    if (latest === undefined || trashedAt >= latest.trashedAt) latest = version;
  }
  return latest;
}

/** A loser goes to the trash before its conflict is told, at most a long transfer before; clocks are one and the same. */
const toldWithinMs = 1000;
const toldAfterMs = 30 * 60_000;
