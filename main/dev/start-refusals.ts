import type { StartForm } from '../../contract/workloads.ts';
import { SlipwayError } from '../base/errors.ts';

/** The plan that a start names is gone. */
export function outdated(): SlipwayError {
  return new SlipwayError({
    code: 'plan.outdated',
    message: 'This flight plan is not kept any more.',
    cause: 'It is too old, or the app was started anew since.',
    next: 'Make a new plan; nothing was started.',
  });
}

/** A second session on the same workload would fight the first one. */
export function alreadyRuns({ namespace, name }: StartForm): SlipwayError {
  return new SlipwayError({
    code: 'session.live',
    message: `You are in a session on ${namespace}/${name} already.`,
    cause: 'This app runs it.',
    next: 'Open it, or stop it before you start another one.',
  });
}

/** The app ends, and whatever began now would be left over. */
export function ending(): SlipwayError {
  return new SlipwayError({
    code: 'app.gone',
    message: 'Slipway is ending and starts no new session.',
    next: 'Start it again first.',
  });
}
