import { assertNever } from '../base/errors.ts';
import type { Change } from './change.ts';
import type { FileAction } from './sync-event.ts';

/** What a step is called in events. */
export function actionOf(change: Change): FileAction {
  switch (change.kind) {
    case 'put':
      return change.expected === undefined ? 'create' : 'update';
    case 'directory':
      return 'directory';
    case 'symlink':
      return 'link';
    case 'chmod':
      return 'mode';
    case 'delete':
      return 'delete';
    case 'rename':
      return 'rename';
    default:
      return assertNever(change);
  }
}
