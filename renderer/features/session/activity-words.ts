import type { Activity } from '../../../contract/sessions.ts';
import { byteText } from '../../ui/time-text.ts';

/** What is said of one file that travelled, or did not. */
export interface ActivityWords {
  readonly action: string;
  /** Bytes that travelled, of how many where only blocks did; empty where none had to. */
  readonly size: string;
  readonly sent: string;
}

/** A file's own row in words. New and changed contents are told by their way; the rest by what was done. */
export function activityWords({
  action,
  direction,
  bytes,
  size,
}: Pick<Activity, 'action' | 'direction' | 'bytes' | 'size'>): ActivityWords {
  const sent = bytes === 0 ? '' : byteText(bytes);
  if (size !== undefined && action === 'update')
    return { action: 'Patched', size: `${byteText(bytes)} of ${byteText(size)}`, sent };
  return { action: actionWord(action, direction), size: sent, sent };
}

function actionWord(action: string, direction: Activity['direction']): string {
  switch (action) {
    case 'create':
    case 'update':
      return direction === 'up' ? 'Sent' : 'Received';
    case 'delete':
      return 'Deleted';
    case 'rename':
      return 'Renamed';
    case 'mode':
      return 'Mode';
    case 'directory':
      return 'Folder';
    case 'link':
      return 'Link';
    case 'held':
      return 'Held';
    case 'failed':
      return 'Failed';
    default:
      return action;
  }
}
