import { createHash } from 'node:crypto';

/** Labels and annotations of what a session creates. Labels find, annotations explain and carry the record. */
export const keys = {
  managedBy: 'app.kubernetes.io/managed-by',
  session: 'slipway.dev/session',
  project: 'slipway.dev/project',
  user: 'slipway.dev/user',
  machine: 'slipway.dev/machine',
  createdAt: 'slipway.dev/created-at',
  target: 'slipway.dev/target',
  changes: 'slipway.dev/changes',
  /** Which process holds the Lease: two processes of one user on one machine have the same holder identity. */
  run: 'slipway.dev/run',
  /** That run and the mark of its process, so that its machine can tell at once that it was killed. */
  process: 'slipway.dev/process',
} as const;

export const managedByValue = 'slipway';

/** Manager name of every write of a session, as it appears in `managedFields`. */
export const fieldManager = 'slipway';

/** Selects everything that any session created. */
export const sessionObjectsSelector = `${keys.managedBy}=${managedByValue},${keys.session}`;

/** Names of pods and label values end at 63 characters, so names that become either are kept below it. */
const maximumNameLength = 63;

const labelValue = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

export function shortHash(text: string, length = 8): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** `base + suffix`, with the end of a long base replaced by its hash so that the name stays unique. */
export function boundedName(base: string, suffix: string): string {
  const whole = base + suffix;
  if (whole.length <= maximumNameLength) return whole;
  const room = maximumNameLength - suffix.length - 9;
  return `${base.slice(0, room).replace(/[-.]+$/, '')}-${shortHash(base)}${suffix}`;
}

export function devName(targetName: string): string {
  return boundedName(targetName, '-dev');
}

/**
 * One Lease per target, not per session: creating it is what makes a session exclusive. Made of the target's
 * name and not its UID, so that a recreated target meets the session that was left over from the former one.
 */
export function leaseName(targetKind: string, targetName: string): string {
  return boundedName(`slipway-${targetKind.toLowerCase()}-${targetName}`, '');
}

/** The project as a label value; hashed when it is not a valid one, so that it can still be selected by. */
export function projectLabel(project: string): string {
  return labelValue.test(project) ? project : `h-${shortHash(project, 16)}`;
}

/** A session's identity: 10 random characters, valid as label value and part of a name. */
export function newSessionId(random: Uint8Array): string {
  return Buffer.from(random).toString('hex').slice(0, 10);
}
