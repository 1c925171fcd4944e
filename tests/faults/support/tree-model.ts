import { lstatSync, readdirSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from './content.ts';

/** Everything below a folder with what it is: `file <sha256>`, `link <target>`, `directory`, `other`. */
export type Tree = ReadonlyMap<string, string>;

/** Reads one side's tree again and again; what has not changed by its times and inode is not read twice. */
export class TreeModel {
  readonly #known = new Map<string, { readonly stamp: string; readonly what: string }>();
  /** Changes when the folder is another one, as after a restart of the container. */
  readonly root: () => string;

  constructor(root: () => string) {
    this.root = root;
  }

  /** What moves while it is read may be missing; who compares looks again. */
  read(): Tree {
    const found = new Map<string, string>();
    this.#walk(this.root(), '', found);
    return found;
  }

  #walk(root: string, below: string, found: Map<string, string>): void {
    let names: Buffer[];
    try {
      names = readdirSync(join(root, below), { encoding: 'buffer' });
    } catch {
      return;
    }
    for (const raw of names) {
      const name = raw.toString('utf8');
      const path = below === '' ? name : `${below}/${name}`;
      try {
        const stat = lstatSync(join(root, path), { bigint: true });
        if (stat.isDirectory()) {
          found.set(path, 'directory');
          this.#walk(root, path, found);
        } else found.set(path, this.#what(root, path, stat));
      } catch {
        // It went while we looked.
      }
    }
  }

  #what(root: string, path: string, stat: BigIntStats): string {
    if (stat.isSymbolicLink()) return `link ${readlinkSync(join(root, path))}`;
    if (!stat.isFile()) return 'other';
    const stamp = `${root} ${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.what;
    const what = `file ${sha256(readFileSync(join(root, path)))}`;
    this.#known.set(path, { stamp, what });
    return what;
  }
}

/** Where two trees differ, a line each; empty when they are alike. */
export function differences(local: Tree, remote: Tree): string[] {
  const lines: string[] = [];
  for (const path of new Set([...local.keys(), ...remote.keys()])) {
    const [here, there] = [local.get(path), remote.get(path)];
    if (here !== there) lines.push(`${path}: ${here ?? 'absent'} here, ${there ?? 'absent'} there`);
  }
  return lines;
}
