import { createHash } from 'node:crypto';
import { SlipwayError } from '../base/errors.ts';

/** What the user wrote as `LOCAL:REMOTE`. */
export interface PairText {
  readonly local: string;
  /** Absolute or relative to the container's working directory; empty: the working directory itself. */
  readonly remote: string;
}

/**
 * Parses `LOCAL:REMOTE`. The remote path cannot hold a colon and the local one only a drive letter's, so a text
 * with more colons is refused with the way out instead of being guessed at.
 */
export function parsePairText(text: string): PairText {
  const drive = /^[A-Za-z]:[\\/]/.test(text) ? 2 : 0;
  const rest = text.slice(drive);
  const parts = rest.split(':');
  if (parts.length > 2) {
    throw usage(
      `The path ${JSON.stringify(text)} has more than one colon`,
      'A colon separates the local from the remote path, so neither of them can hold one.',
      'Give the folder a name without a colon, or a link to it that has none.',
    );
  }
  const local = text.slice(0, drive) + (parts[0] ?? '');
  const remote = parts[1] ?? '';
  if (local === '' && parts.length > 1 && remote === '') {
    throw usage(
      `The path ${JSON.stringify(text)} names nothing`,
      'Both sides of the colon are empty.',
      usageNext,
    );
  }
  if (text.includes('\0'))
    throw usage('The path contains a NUL character', 'No file system allows it.', usageNext);
  if (remote.startsWith('..') || remote.split('/').includes('..')) {
    throw usage(
      `The remote path ${JSON.stringify(remote)} climbs with ".."`,
      'The folder it means depends on the container.',
      usageNext,
    );
  }
  return { local: local === '' ? '.' : local, remote };
}

const usageNext = 'Write LOCAL:REMOTE, for example ./src:/app.';

function usage(message: string, cause: string, next: string): SlipwayError {
  return new SlipwayError({ code: 'usage.invalid', message, cause, next });
}

/** What makes a pair the same one at the next start. */
export interface PairIdentity {
  /** Name or address of the cluster; never a credential. */
  readonly cluster: string;
  readonly namespace: string;
  /** The workload (`deployment/web`) or the selector that found the pod, never the pod's own name. */
  readonly target: string;
  readonly container: string;
  readonly remotePath: string;
  /** Absolute, links resolved. */
  readonly localPath: string;
}

/** Folder name for a pair's own state. */
export function pairId(identity: PairIdentity): string {
  const { cluster, namespace, target, container, remotePath, localPath } = identity;
  const text = JSON.stringify([cluster, namespace, target, container, remotePath, localPath]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
