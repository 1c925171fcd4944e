import { assertNever } from '../base/errors.ts';
import type { SyncEvent } from '../sync/sync-event.ts';

/** What both sides did to one path and what became of it, as a sentence; it claims of no version that it is kept where it is not. */
export function conflictText({ conflict, winner, loser }: Extract<SyncEvent, { kind: 'conflict' }>): string {
  const { path } = conflict;
  if (winner === 'none') return `${path} changed on both sides; both versions stay until you choose.`;
  const won = winner === 'local' ? 'this machine’s version won' : 'the container’s version won';
  const lost = winner === 'local' ? conflict.remote : conflict.local;
  switch (loser) {
    case undefined:
      return `${path} changed on both sides; ${won}.`;
    case 'trashed':
      return `${path} changed on both sides; ${won}, the other one is in the trash.`;
    case 'link':
      return `${path} changed on both sides; ${won}, the other one was a link${lost?.kind === 'symlink' ? ` to ${lost.target}` : ''}.`;
    case 'folder':
      return `${path} changed on both sides; ${won}, the other one was a folder.`;
    case 'permissions':
      return `The permissions of ${path} changed on both sides; ${winner === 'local' ? 'this machine’s' : 'the container’s'} won.`;
    default:
      return assertNever(loser);
  }
}
