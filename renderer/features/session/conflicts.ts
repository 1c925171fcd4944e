import type { ConflictNote, SessionDetail } from '../../../contract/sessions.ts';

/** One path that both sides changed, as its page lists it. */
export interface ConflictRow {
  readonly key: string;
  readonly note: ConflictNote;
  readonly waits: boolean;
  /** What became of both versions. */
  readonly words: string;
  /** The version that lost is among those that the trash keeps. */
  readonly trashed: boolean;
}

/**
 * The latest first, each path's present case alone: that a conflict was held is no news once it is settled, and the
 * note on that tells who won.
 */
export function conflictRows({
  conflicts,
  held,
  summary,
}: Pick<SessionDetail, 'conflicts' | 'held' | 'summary'>): readonly ConflictRow[] {
  const holds = Object.values(held);
  const waiting = new Set(holds.flatMap(({ kind, paths }) => (kind === 'conflict' ? paths : [])));
  // A hold that is not among those that are shown may wait all the same.
  const allKnown = holds.length >= summary.held;
  const later = new Set<string>();
  return Object.entries(conflicts)
    .reverse()
    .flatMap(([key, note]) => {
      const { path, winner } = note;
      const overtaken = winner === 'none' && later.has(path);
      later.add(path);
      if (overtaken) return [];
      const waits = winner === 'none' && waiting.has(path);
      const words = winner === 'none' ? wordsOfHeld(waits, allKnown) : wordsOfSettled(winner, note);
      return [{ key, note, waits, words, trashed: note.loser === 'trashed' }];
    });
}

function wordsOfHeld(waits: boolean, allKnown: boolean): string {
  if (waits) return 'Both versions stay until you choose';
  return allKnown
    ? 'Waited; it was answered since, or both sides became alike'
    : 'Waits, or was answered since: it shows when others are';
}

const winners = { local: 'This machine’s version won', remote: 'The container’s version won' } as const;
const taken = {
  local: 'You took this machine’s version',
  remote: 'You took the container’s version',
} as const;
const losers = { local: 'the container’s', remote: 'this machine’s' } as const;

/** It claims of no version that it is in the trash that is not there. */
function wordsOfSettled(
  winner: 'local' | 'remote',
  { loser, swappedAt }: Pick<ConflictNote, 'loser' | 'swappedAt'>,
): string {
  const won = swappedAt === undefined ? winners[winner] : taken[winner];
  switch (loser) {
    case undefined:
      return won;
    case 'trashed':
      return `${won}; ${losers[winner]} is in the trash`;
    case 'link':
      return `${won}; ${losers[winner]} was a link`;
    case 'folder':
      return `${won}; ${losers[winner]} was a folder, its files are in the trash`;
    case 'permissions':
      return `Only permissions differed; ${winner === 'local' ? 'this machine’s' : 'the container’s'} won`;
  }
}

/** The overview's line on them: how many there were, and what may still be done. */
export function conflictLine(rows: readonly ConflictRow[]): string {
  const waiting = rows.filter(({ waits }) => waits).length;
  const trashed = rows.filter(({ trashed: inTrash }) => inTrash).length;
  const parts = [
    ...(waiting > 0
      ? [`${waiting === 1 ? 'One waits' : `${waiting.toLocaleString('en')} wait`} for your choice.`]
      : []),
    ...(trashed > 0
      ? [
          trashed === 1
            ? 'One version that lost is in the trash.'
            : `${trashed.toLocaleString('en')} versions that lost are in the trash.`,
        ]
      : []),
  ];
  return parts.length === 0 ? 'No version was lost.' : parts.join(' ');
}
