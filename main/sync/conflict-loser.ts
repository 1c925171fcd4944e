import type { ConflictLoser } from '../../contract/session-events.ts';
import type { Change } from './change.ts';

/**
 * What becomes of the version that a settled conflict replaces with this step, so that nobody is told to look for it
 * where it is not. Undefined: nothing was there, as where the step only follows one that made room for it.
 */
export function loserOf(change: Change): ConflictLoser | undefined {
  switch (change.expected?.kind) {
    case undefined:
    case 'other':
      return undefined;
    case 'file':
      return change.kind === 'put' || change.kind === 'delete' ? 'trashed' : 'permissions';
    case 'symlink':
      return 'link';
    case 'directory':
      // Its files are told of by their own steps.
      return change.kind === 'delete' ? 'folder' : 'permissions';
  }
}
