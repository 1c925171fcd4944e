import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from './content.ts';

/**
 * Files around a root that nobody may touch (G4): beside it, above it, and with a name that begins like the root's.
 * Looks at content, inode, mode and change time, and at new neighbours.
 */
export class Canaries {
  readonly #folders: readonly string[];
  readonly #before: string;

  /** The folders must not hold anything that changes by itself. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'canary'), 'sings');
      mkdirSync(join(folder, 'cage'), { recursive: true });
      writeFileSync(join(folder, 'cage', 'canary'), 'sings too');
    }
    this.#before = this.#picture();
  }

  /** What became of them; undefined when nothing did. */
  get harm(): string | undefined {
    const now = this.#picture();
    return now === this.#before ? undefined : `before:\n${this.#before}\nnow:\n${now}`;
  }

  #picture(): string {
    return this.#folders
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true })
          .map(String)
          .sort()
          .map((name) => {
            const path = join(folder, name);
            const stat = lstatSync(path, { bigint: true });
            const what = stat.isFile() ? sha256(readFileSync(path)).slice(0, 16) : 'not a file';
            return `${path} ${what} ${stat.ino} ${stat.mode} ${stat.ctimeNs}`;
          }),
      )
      .join('\n');
  }
}
