import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every path below a folder with what it is: `file <sha256> <x>`, `link <target>`, `directory`. Names are compared as bytes in latin1. */
export function treeOf(root: string, below = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const raw of readdirSync(join(root, below), { encoding: 'buffer' })) {
    const name = raw.toString('utf8');
    const path = below === '' ? name : `${below}/${name}`;
    const stat = lstatSync(join(root, path));
    if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(root, path))}`);
    else if (stat.isDirectory()) {
      found.set(path, 'directory');
      for (const [child, what] of treeOf(root, path)) found.set(child, what);
    } else if (stat.isFile()) {
      const digest = createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex');
      found.set(path, `file ${digest} ${(stat.mode & 0o100) === 0 ? '-' : 'x'}`);
    } else found.set(path, 'other');
  }
  return found;
}
