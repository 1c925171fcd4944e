import { createHash } from 'node:crypto';
import type { Entry } from './entry.ts';

/** Entries for tests by short names, see {@link entryOf}. */
export function fileOf(content: string, mode = 0o644, mtimeMs = 1000): Entry {
  return {
    kind: 'file',
    mode,
    size: Buffer.byteLength(content),
    digest: createHash('sha256').update(content).digest('hex'),
    mtimeNs: BigInt(mtimeMs) * 1_000_000n,
    ctimeNs: BigInt(mtimeMs) * 1_000_000n,
    inode: 1n,
    links: 1,
  };
}

/**
 * `-` nothing, `d` folder, `p` private folder, `s`/`t` links to two targets, `o` a socket, any digit a file with that
 * content; `x` behind it makes it executable, `?` leaves its digest unknown, `+` makes it a second younger.
 */
export function entryOf(code: string): Entry | undefined {
  switch (code) {
    case '-':
      return undefined;
    case 'd':
      return { kind: 'directory', mode: 0o755, inode: 2n };
    case 'p':
      return { kind: 'directory', mode: 0o700, inode: 2n };
    case 's':
      return { kind: 'symlink', target: 'one' };
    case 't':
      return { kind: 'symlink', target: 'two' };
    case 'o':
      return { kind: 'other', description: 'socket' };
    default: {
      const entry = fileOf(
        code.slice(0, 1),
        code.includes('x') ? 0o755 : 0o644,
        code.includes('+') ? 9000 : 1000,
      );
      return code.includes('?') && entry.kind === 'file' ? { ...entry, digest: undefined } : entry;
    }
  }
}
