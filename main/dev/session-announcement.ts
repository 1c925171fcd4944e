import type { SessionEvent } from '../../contract/session-events.ts';
import { assertNever } from '../base/errors.ts';
import type { SessionEvent as ActiveSessionEvent } from '../session/session.ts';

/** What happened to a session's hold on its workload, for its user. */
export function announceSession({ kind, event }: ActiveSessionEvent): SessionEvent {
  if (kind === 'lease') return { event: 'health', service: 'lease', ...describeLease(event) };
  switch (event.kind) {
    case 'replicas-changed':
      return {
        event: 'notice',
        message: `The workload was scaled to ${event.to} by ${event.by}; its pods run beside the dev pod. Slipway leaves it so.`,
      };
    case 'replicas-zero':
      return { event: 'notice', message: 'The workload is scaled to 0 again.' };
    case 'spec-changed':
      return {
        event: 'notice',
        message:
          'Somebody changed the workload; the dev pod keeps what it was started with, and Stop keeps their change.',
      };
    case 'gone':
      return {
        event: 'notice',
        message: event.recreated
          ? 'The workload was deleted and made anew; Stop will not touch it.'
          : 'The workload was deleted.',
      };
    default:
      return assertNever(event);
  }
}

type Health = Pick<Extract<SessionEvent, { event: 'health' }>, 'state' | 'message'>;

function describeLease(event: Extract<ActiveSessionEvent, { kind: 'lease' }>['event']): Health {
  switch (event.kind) {
    case 'lost':
      return {
        state: 'failed',
        message:
          event.holder === undefined
            ? 'its Lease was removed'
            : `the session was taken over by ${event.holder}`,
      };
    case 'late':
      return {
        state: 'reconnecting',
        message: `not renewed for ${Math.round(event.sinceMs / 1000)} s: ${event.reason}`,
      };
    case 'renewed-again':
      return { state: 'active', message: 'renewed again' };
    default:
      return assertNever(event);
  }
}
