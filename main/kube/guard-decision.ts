import type { Guard } from '../../contract/settings.ts';
import { SlipwayError } from '../base/errors.ts';

/** Whose guard it is and where it is changed, for the sentences that a refusal consists of. */
export interface GuardedContext {
  readonly context: string;
  /** One sentence: where the guard is chosen. */
  readonly next: string;
}

/** Somebody's word that an action is meant: what had to be typed, and what was. */
export interface Confirmation {
  readonly expected: string;
  readonly typed: string | undefined;
}

/** Throws unless the guard lets an action with this confirmation begin. */
export function assertGuardAllows(guard: Guard, guarded: GuardedContext, confirmation?: Confirmation): void {
  if (guard === 'none') return;
  if (guard === 'read-only') throw readOnly(guarded);
  if (confirmation === undefined) throw confirmationNeeded(guarded, 'Nobody confirmed this action.');
  const { expected, typed } = confirmation;
  if (typed === expected) return;
  throw confirmationNeeded(
    guarded,
    typed === undefined || typed === ''
      ? `"${expected}" has to be typed before anything is changed there.`
      : `"${expected}" has to be typed before anything is changed there, and something else was.`,
  );
}

function readOnly({ context, next }: GuardedContext): SlipwayError {
  return new SlipwayError({
    code: 'cluster.read-only',
    message: `Nothing is changed in ${context}: it is guarded as read-only.`,
    cause: 'The guard of this context refuses writes, commands in containers and forwarded ports.',
    next,
  });
}

function confirmationNeeded({ context, next }: GuardedContext, cause: string): SlipwayError {
  return new SlipwayError({
    code: 'cluster.confirmation-needed',
    message: `Changes in ${context} need a confirmation.`,
    cause,
    next,
  });
}
