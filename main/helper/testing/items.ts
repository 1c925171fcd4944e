import { createHash } from 'node:crypto';
import type { BatchItem } from '../connection.ts';
import { Entry, EntryKind, type Operation } from '../gen/slipway/helper/v1/helper.ts';

/** Nothing there. */
export const absent: Entry = Entry.create({ kind: EntryKind.ENTRY_KIND_UNSPECIFIED });
export const directory: Entry = Entry.create({ kind: EntryKind.ENTRY_KIND_DIRECTORY });

export function sha256(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

/** A whole small file in one slice. */
export function putItem(
  path: string,
  content: string | Uint8Array,
  options: { readonly expected?: Entry; readonly mode?: number } = {},
): BatchItem {
  const body = Buffer.from(content);
  const put = {
    staging: path,
    offset: 0n,
    final: true,
    size: BigInt(body.length),
    digest: sha256(body),
    mode: options.mode ?? 0o644,
    mtimeNs: 1_700_000_000_123_456_789n,
  };
  return { operation: { path, expected: options.expected ?? absent, action: { $case: 'put', value: put } }, body };
}

export function actionItem(path: string, expected: Entry, action: NonNullable<Operation['action']>): BatchItem {
  return { operation: { path, expected, action } };
}
