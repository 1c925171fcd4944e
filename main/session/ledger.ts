import { join } from 'node:path';
import { z } from 'zod';
import type { StateFiles } from '../base/state-files.ts';
import { parseRecord, serializeRecord, type SessionRecord } from './record.ts';

export interface LedgerEntry {
  readonly server: string;
  readonly record: SessionRecord;
}

const envelope = z.object({
  version: z.literal(1),
  server: z.string(),
  context: z.string(),
  record: z.unknown(),
});

/**
 * What this machine's sessions changed, one file per session, written before each change. The cluster is the
 * truth; the ledger helps when somebody removed what carries the record there. A torn file is passed over.
 */
export function createLedger(options: {
  readonly stateFiles: StateFiles;
  readonly home: string;
  readonly server: string;
  readonly contextName: string;
}): {
  write(record: SessionRecord): Promise<void>;
  remove(session: string): Promise<void>;
  /** Entries of this cluster only. */
  entries(): Promise<readonly LedgerEntry[]>;
} {
  const folder = join(options.home, 'sessions');
  const pathOf = (session: string): string => join(folder, `${session}.json`);
  return {
    write: (record) =>
      options.stateFiles.write(
        pathOf(record.session),
        JSON.stringify({
          version: 1,
          server: options.server,
          context: options.contextName,
          record: JSON.parse(serializeRecord(record)) as unknown,
        }),
      ),
    remove: (session) => options.stateFiles.remove(pathOf(session)),
    async entries() {
      const names = (await options.stateFiles.list(folder)).filter((name) => name.endsWith('.json'));
      const contents = await Promise.all(names.map((name) => options.stateFiles.read(join(folder, name))));
      return contents
        .flatMap((content) => parseEntry(content) ?? [])
        .filter((entry) => entry.server === options.server);
    },
  };
}

function parseEntry(content: Buffer | undefined): LedgerEntry | undefined {
  if (content === undefined) return undefined;
  try {
    const file = envelope.parse(JSON.parse(content.toString('utf8')));
    const record = parseRecord(JSON.stringify(file.record));
    return record === undefined ? undefined : { server: file.server, record };
  } catch {
    return undefined;
  }
}
