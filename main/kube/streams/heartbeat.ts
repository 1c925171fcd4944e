/** How often life is looked for, in milliseconds; shorter than the idle limits of common load balancers. */
export const pingEveryMs = 15_000;
/** Silence after which a connection counts as dead, in milliseconds. */
export const deadAfterMs = 61_000;
/**
 * Input that a program may leave unread without anyone noticing, in bytes: a terminal's line buffer. The API server
 * reads a connection in one loop and delivers input from there, so behind more than this it may answer no ping
 * for as long as the program does not read.
 */
export const quietInputBytes = 4096;

export interface HeartbeatState {
  readonly nowMs: number;
  /** When anything was received last, or reading went on after a pause. */
  readonly aliveAtMs: number;
  /** We do not read at present, so we cannot hear an answer. */
  readonly paused: boolean;
  /** Bytes handed to the socket that the system has not taken yet. */
  readonly unsentBytes: number;
  /** Input sent after the last ping that was answered. */
  readonly unansweredInputBytes: number;
}

/**
 * What to do at one beat; `restart` counts the silence anew, since nothing could be heard. A ping only into silence:
 * a server that has closed after its last output makes the system throw away what of it was received and not read
 * yet as soon as anything is sent, so never while paused, behind unsent input, or while output flows.
 */
export function nextBeat(state: HeartbeatState): 'wait' | 'restart' | 'ping' | 'dead' {
  if (state.paused || state.unsentBytes > 0) return 'restart';
  const silentMs = state.nowMs - state.aliveAtMs;
  if (silentMs < pingEveryMs) return 'wait';
  if (silentMs >= deadAfterMs && state.unansweredInputBytes <= quietInputBytes) return 'dead';
  return 'ping';
}
