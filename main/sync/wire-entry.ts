import type { Entry as WireEntry, Signature } from '../helper/gen/slipway/helper/v1/helper.ts';
import { EntryKind } from '../helper/gen/slipway/helper/v1/helper.ts';
import type { BlockSignature } from './blocks/block-signature.ts';
import type { Entry } from './entry.ts';

/** Absent is undefined here and a kind of its own on the wire. */
export function entryFromWire(wire: WireEntry | undefined): Entry | undefined {
  switch (wire?.kind) {
    case EntryKind.ENTRY_KIND_FILE: {
      const size = Number(wire.size);
      const digest = wire.digest.length === 32 ? Buffer.from(wire.digest).toString('hex') : undefined;
      const { mtimeNs, ctimeNs, inode, links } = wire;
      return { kind: 'file', mode: wire.mode & 0o7777, size, mtimeNs, ctimeNs, inode, links, digest };
    }
    case EntryKind.ENTRY_KIND_DIRECTORY:
      return { kind: 'directory', mode: wire.mode & 0o7777, inode: wire.inode };
    case EntryKind.ENTRY_KIND_SYMLINK:
      return { kind: 'symlink', target: wire.target };
    case EntryKind.ENTRY_KIND_OTHER:
      return { kind: 'other', description: 'A socket, pipe or device' };
    default:
      return undefined;
  }
}

export function entryToWire(entry: Entry | undefined): WireEntry {
  const blank: WireEntry = {
    kind: EntryKind.ENTRY_KIND_UNSPECIFIED,
    mode: 0,
    size: 0n,
    mtimeNs: 0n,
    ctimeNs: 0n,
    inode: 0n,
    digest: Buffer.alloc(0),
    target: '',
    device: 0n,
    links: 0,
  };
  switch (entry?.kind) {
    case 'file': {
      const digest = entry.digest === undefined ? Buffer.alloc(0) : Buffer.from(entry.digest, 'hex');
      const { mode, mtimeNs, ctimeNs, inode, links } = entry;
      return {
        ...blank,
        kind: EntryKind.ENTRY_KIND_FILE,
        mode,
        size: BigInt(entry.size),
        mtimeNs,
        ctimeNs,
        inode,
        links,
        digest,
      };
    }
    case 'directory':
      return { ...blank, kind: EntryKind.ENTRY_KIND_DIRECTORY, mode: entry.mode, inode: entry.inode };
    case 'symlink':
      return { ...blank, kind: EntryKind.ENTRY_KIND_SYMLINK, target: entry.target };
    case 'other':
      return { ...blank, kind: EntryKind.ENTRY_KIND_OTHER };
    case undefined:
      return blank;
  }
}

/** Undefined for what does not describe a file. */
export function signatureFromWire(wire: Signature | undefined): BlockSignature | undefined {
  const entry = entryFromWire(wire?.entry);
  if (wire === undefined || entry?.kind !== 'file') return undefined;
  return { entry, blockBytes: wire.blockBytes, blocks: wire.blocks };
}

export function signatureToWire({ entry, blockBytes, blocks }: BlockSignature): Signature {
  return {
    entry: entryToWire(entry),
    blockBytes,
    blocks: Buffer.from(blocks.buffer, blocks.byteOffset, blocks.length),
  };
}
