import { isCancellation } from '../../base/errors.ts';
import type { OnHeld } from '../../dev/services.ts';
import { ask, canAsk } from './ask.ts';
import type { Invocation } from './command.ts';

/**
 * Answers what a sync holds: with `--yes` at once, on a terminal by asking, otherwise not at all (it stays held
 * and both sides stay as they are). One question at a time: two on one terminal would take each other's answers.
 */
export function answerHeld(invocation: Invocation, yes: boolean): OnHeld {
  let asked: Promise<unknown> = Promise.resolve();
  return (held, answer) => {
    // What programs of this machine would execute is agreed to one by one, never in advance.
    if (yes && held.kind !== 'consent' && held.choices.includes('apply')) return answer('apply');
    if (invocation.json || !canAsk(invocation.environment)) return;
    asked = asked
      .then(() => ask(invocation.environment, `${held.reason}. What to do?`, held.choices, invocation.stop))
      .then(answer)
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  };
}
