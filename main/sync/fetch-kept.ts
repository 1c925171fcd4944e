import { createHash } from 'node:crypto';
import { SlipwayError } from '../base/errors.ts';
import type { SyncEngine } from './engine.ts';
import type { DiskTrash } from './local-endpoint/disk-trash.ts';

/** Larger versions are not brought over in one go. */
const largestBytes = 64 * 1024 * 1024;

/**
 * Brings an old version that the container keeps into the trash of this machine; resolves with its id there. It is
 * stored only as it is said to be: of its size, and of its digest where that is known.
 */
export async function fetchKept(
  parts: {
    readonly engine: Pick<SyncEngine, 'remote'>;
    readonly trash: Pick<DiskTrash, 'storeAnyway'>;
    readonly read: ((id: string, limit: number, signal?: AbortSignal) => Promise<Uint8Array>) | undefined;
    readonly id: string;
  },
  signal?: AbortSignal,
): Promise<string> {
  const { engine, trash, read, id } = parts;
  const kept = await engine.remote?.listTrash?.();
  if (kept === undefined || read === undefined)
    throw refused('There is no connection to the container now.', 'Try again when it is connected.');
  const version = kept.find((each) => each.id === id);
  const entry = version?.entry;
  if (version === undefined || entry === undefined)
    throw refused('It made room for others, or the container is another one.', 'Look at the list again.');
  if (entry.kind !== 'file') throw refused('It is no file.', 'Make it anew.');
  if (entry.size > largestBytes) throw refused('It is larger than 64 MiB.', 'Copy it by hand.');
  const content = await read(id, entry.size, signal);
  const digest = createHash('sha256').update(content).digest('hex');
  if (content.length !== entry.size || (entry.digest !== undefined && entry.digest !== digest))
    throw refused('What came is not what the container said it keeps.', 'Look at the list again.');
  return trash.storeAnyway(version.path, entry, only(content));
}

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

function refused(cause: string, next: string): SlipwayError {
  return new SlipwayError({
    code: 'sync.path-refused',
    message: 'The version in the container cannot be brought here.',
    cause,
    next: `${next} Nothing was changed.`,
  });
}
