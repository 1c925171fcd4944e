import { expect, it } from 'vitest';
import { activityWords } from './activity-words.ts';

it.each([
  [{ action: 'create', direction: 'up', bytes: 2100 }, 'Sent', '2.1 KB'],
  [{ action: 'update', direction: 'down', bytes: 2100 }, 'Received', '2.1 KB'],
  [{ action: 'update', direction: 'up', bytes: 64_000, size: 1_000_000_000 }, 'Patched', '64.0 KB of 1.0 GB'],
  [{ action: 'rename', direction: 'up', bytes: 0 }, 'Renamed', ''],
  [{ action: 'delete', direction: 'down', bytes: 0 }, 'Deleted', ''],
  [{ action: 'failed', direction: 'up', bytes: 0 }, 'Failed', ''],
  [{ action: 'held', direction: 'up', bytes: 0 }, 'Held', ''],
] as const)('%o', (item, action, size) => {
  expect(activityWords(item)).toMatchObject({ action, size });
});
