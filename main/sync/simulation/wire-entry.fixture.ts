import type { Entry as WireEntry } from '../../helper/gen/slipway/helper/v1/helper.ts';
import { EntryKind } from '../../helper/gen/slipway/helper/v1/helper.ts';
import type { Entry } from '../entry.ts';

/** An entry as a helper tells it. */
export function asWire(entry: Entry | undefined): WireEntry {
  const wire: WireEntry = {
    kind: EntryKind.ENTRY_KIND_UNSPECIFIED,
    mode: 0,
    size: 0n,
    mtimeNs: 0n,
    ctimeNs: 0n,
    inode: 0n,
    digest: Buffer.alloc(0),
    target: '',
    device: 1n,
    links: 1,
  };
  switch (entry?.kind) {
    case 'file': {
      const digest = Buffer.from(entry.digest ?? '', 'hex');
      const { mode, mtimeNs, ctimeNs, inode } = entry;
      const size = BigInt(entry.size);
      return { ...wire, kind: EntryKind.ENTRY_KIND_FILE, mode, size, mtimeNs, ctimeNs, inode, digest };
    }
    case 'directory':
      return { ...wire, kind: EntryKind.ENTRY_KIND_DIRECTORY, mode: entry.mode, inode: entry.inode };
    case 'symlink':
      return { ...wire, kind: EntryKind.ENTRY_KIND_SYMLINK, target: entry.target };
    case 'other':
      return { ...wire, kind: EntryKind.ENTRY_KIND_OTHER };
    case undefined:
      return wire;
  }
}
