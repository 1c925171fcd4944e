import type { FileState } from '../../contract/sessions.ts';
import { compareEntries } from './compare.ts';
import type { Difference } from './decide.ts';
import type { Entry } from './entry.ts';
import type { HeldKind } from './sync-event.ts';

/** Everything that an engine knows about one path, at one moment. */
export interface PathKnowledge {
  readonly local: Entry | undefined;
  /** As far as the container is known now. */
  readonly remote?: Entry | undefined;
  readonly agreed: Entry | undefined;
  readonly held: HeldKind | undefined;
  /** Something is to be looked at or under way here. */
  readonly waiting: boolean;
  readonly difference: Difference | undefined;
  /** Why it is held, or what failed here and is tried again. */
  readonly problem?: string | undefined;
}

const anyMode = 0;

/** What a person has to know about one path; `excluded` is left to whoever knows the rules. */
export function fileStateOf(knowledge: PathKnowledge): Exclude<FileState, 'excluded'> {
  const { held, waiting, local, agreed, difference } = knowledge;
  if (held === 'conflict') return 'conflict';
  if (held !== undefined) return 'held';
  if (waiting) return 'waiting';
  if (difference !== undefined) return 'different';
  if (agreed === undefined) return 'new';
  // What is on the laptop now and is not what was agreed on is about to be sent.
  return compareEntries(agreed, local, anyMode) === 'different' ? 'waiting' : 'same';
}

const rank: Record<FileState, number> = {
  conflict: 6,
  held: 5,
  waiting: 4,
  new: 3,
  different: 2,
  same: 1,
  excluded: 0,
};

/** The one of two states that needs a look more. */
export function worseState(a: FileState, b: FileState): FileState {
  return rank[a] >= rank[b] ? a : b;
}
