import type { ServiceState, SessionEvent } from '../../contract/session-events.ts';
import { assertNever, SlipwayError } from '../base/errors.ts';
import type { SyncEvent, SyncState } from '../sync/sync-event.ts';
import { conflictText } from './conflict-text.ts';

/** What a sync's event is to the user of a session; undefined for what only a window shows. */
export function announceSync(event: SyncEvent, service: string): SessionEvent | undefined {
  switch (event.kind) {
    case 'file':
      return {
        event: 'sync',
        path: event.to === undefined ? event.path : `${event.path} → ${event.to}`,
        direction: event.direction,
        action: event.action,
        bytes: event.bytes,
      };
    case 'conflict':
      return {
        event: 'conflict',
        path: event.conflict.path,
        winner: event.winner,
        loser: event.loser,
        message: conflictText(event),
      };
    case 'held':
      return {
        event: 'held',
        id: event.held.id,
        reason: event.held.reason,
        paths: event.held.paths,
        choices: event.held.choices,
      };
    case 'released':
      return { event: 'notice', message: `Held work ${event.id} is settled.` };
    case 'problem':
      return {
        event: 'notice',
        message: `${event.problem.path} on the ${event.side} side: ${event.problem.message}`,
      };
    case 'notice':
      return { event: 'notice', message: event.message };
    case 'state':
      return { event: 'health', service, ...describeState(event.state) };
    default:
      return assertNever(event);
  }
}

/** How a state of the engine is told as the health of its service. */
export function describeState(
  state: SyncState,
): Pick<Extract<SessionEvent, { event: 'health' }>, 'state' | 'message'> {
  switch (state.kind) {
    case 'connecting':
      return state.attempt <= 1 && state.reason === undefined
        ? { state: 'starting', message: 'connecting' }
        : {
            state: 'reconnecting',
            message: `connecting, attempt ${state.attempt}${state.reason === undefined ? '' : `: ${sentencesOf(state.reason, { next: false })}`}`,
          };
    case 'scanning':
      return { state: 'starting', message: 'reading both sides' };
    case 'comparing':
      return { state: 'starting', message: 'comparing' };
    case 'syncing':
      return { state: 'active', message: `${state.remaining} behind` };
    case 'in-sync':
      return { state: 'active', message: state.held === 0 ? 'in sync' : `in sync except ${state.held} held` };
    case 'paused':
      return { state: 'paused', message: sentencesOf(state.reason) };
    case 'failed':
      return { state: 'failed', message: sentencesOf(state.reason) };
    case 'stopped':
      return { state: 'paused', message: 'stopped' };
    default:
      return assertNever(state);
  }
}

/** Why the engine is in this state, where it says so. */
export function reasonText(state: SyncState): string {
  if (state.kind === 'connecting')
    return state.reason === undefined ? '' : sentencesOf(state.reason, { next: false });
  return state.kind === 'paused' || state.kind === 'failed' ? sentencesOf(state.reason) : '';
}

/** How a service's state stands out in a timeline. */
export function levelOf(state: ServiceState): 'info' | 'ok' | 'warn' | 'error' {
  switch (state) {
    case 'starting':
      return 'info';
    case 'active':
      return 'ok';
    case 'reconnecting':
    case 'paused':
      return 'warn';
    case 'failed':
      return 'error';
  }
}

/** What is and why, each ended by a full stop; what to do follows where nothing gets better by itself. */
function sentencesOf(reason: Error, { next = true }: { readonly next?: boolean } = {}): string {
  const told = reason instanceof SlipwayError ? [reason.causeText, ...(next ? [reason.next] : [])] : [];
  return [reason.message, ...told]
    .filter((text) => text !== '')
    .map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join(' ');
}
