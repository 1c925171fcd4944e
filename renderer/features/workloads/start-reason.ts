import type { ErrorValue } from '../../../contract/errors.ts';
import type { FlightPlan } from '../../../contract/workloads.ts';
import type { ReadDraft } from './draft.ts';
import type { DetectionState } from './use-plan.ts';

/** Why Start cannot be pressed now; undefined when it can. What a person would solve first comes first. */
export function startReason(state: {
  readonly read: ReadDraft;
  readonly detection: Pick<DetectionState, 'pending' | 'error'>;
  readonly plan: FlightPlan | undefined;
  readonly pending: boolean;
  readonly error: ErrorValue | undefined;
}): string | undefined {
  const { read, detection, plan, pending, error } = state;
  if (detection.error !== undefined) return detection.error.message;
  if (detection.pending) return 'The folder is being looked at.';
  if (read.kind === 'unfinished') return read.reason;
  if (error !== undefined) return error.message;
  if (pending || plan === undefined) return 'The flight plan is being made.';
  const [first, ...others] = plan.obstacles;
  if (first === undefined) return undefined;
  return others.length === 0 ? first.message : `${first.message} (and ${others.length} more)`;
}
