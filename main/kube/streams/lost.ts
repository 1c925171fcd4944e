import { SlipwayError } from '../../base/errors.ts';

/** A connection that ended before it said how: what happened at the other end is unknown. */
export function streamLost(subject: string, cause: string, origin?: unknown): SlipwayError {
  return new SlipwayError({
    code: 'stream.lost',
    message: `The connection to ${subject} was lost.`,
    cause,
    next: 'Try again when the cluster is reachable; what was under way may or may not have taken effect.',
    ...(origin === undefined ? {} : { origin }),
  });
}

/** How a closed WebSocket is described: by the server's own words where it sent any. */
export function closeReason(code: number, reason: string): string {
  if (code === 1006) return 'The connection ended without a closing message.';
  return `The server closed the connection (${code}${reason === '' ? '' : `: ${reason}`}).`;
}
