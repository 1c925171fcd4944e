import type { PlanEvent } from '../../../contract/session-events.ts';
import { assertNever } from '../../base/errors.ts';
import type { Invocation } from './command.ts';
import { printableLine } from './output.ts';

/** Tells a dry run on a terminal or in a pipe, or as JSON lines. */
export function printPlan(invocation: Invocation): (event: PlanEvent) => void {
  if (invocation.json) return (event) => invocation.printJson(event);
  return (event) => invocation.print(describePlan(event));
}

/** One line for each step, its direction first. */
export function describePlan(event: PlanEvent): string {
  switch (event.event) {
    case 'plan': {
      const to = event.to === undefined ? '' : ` → ${event.to}`;
      const notes = [
        ...(event.bytes > 0 ? [`${event.bytes} bytes`] : []),
        ...(event.replaces ? ['the present version goes to the trash'] : []),
        ...(event.held === undefined ? [] : [`asks first: ${event.held}`]),
      ];
      const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
      const action = event.action === 'update' ? 'overwrite' : event.action;
      const where = event.where === 'container' ? '↑ in the container' : '↓ on this machine';
      return printableLine(`${where}: ${action} ${event.path}${to}${note}`);
    }
    case 'plan-conflict':
      return printableLine(`! stays different until you choose: ${event.path} (${event.reason})`);
    case 'plan-problem': {
      const where = event.where === 'container' ? 'in the container' : 'on this machine';
      return printableLine(`! ${event.path} ${where}: ${event.message}`);
    }
    case 'plan-end': {
      const { pair, steps, uploadBytes, downloadBytes, same, first } = event;
      const past = first ? 'a first sync' : 'a sync that goes on from what both sides agreed on';
      return printableLine(
        `${pair.local} ↔ ${pair.remote}: ${past} with ${steps} steps, ${uploadBytes} bytes up, ${downloadBytes} bytes down; ${same} paths are alike. Nothing was changed.`,
      );
    }
    default:
      return assertNever(event);
  }
}
