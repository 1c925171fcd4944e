import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder inside the root, reached without following a single link, for as long as `use` runs. `at` names a child
 * of exactly that folder, whatever happens to the path meanwhile (on Linux; elsewhere parts are checked one by one).
 */
export interface FolderHandle {
  at(name: string): string;
}

const onLinux = process.platform === 'linux';
const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The root of a pair held open, so that a root that is moved or replaced is noticed and never written to by mistake. */
export class RootHandle implements Disposable {
  readonly path: string;
  readonly #descriptor: number | undefined;
  /** The folder used last, kept open because changes come in runs. */
  #last: { readonly folder: string; readonly descriptor: number } | undefined;

  /** `path` has its links resolved. Throws as the system does when it is not a readable folder. */
  constructor(path: string) {
    this.path = path;
    this.#descriptor = onLinux ? openSync(path, constants.O_RDONLY | constants.O_DIRECTORY) : undefined;
  }

  identity(): { readonly device: bigint; readonly inode: bigint } {
    const stat =
      this.#descriptor === undefined
        ? lstatSync(this.path, { bigint: true })
        : fstatSync(this.#descriptor, { bigint: true });
    return { device: stat.dev, inode: stat.ino };
  }

  /** Whether the path still leads to the folder that was opened. */
  isCurrent(): boolean {
    const now = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (now?.isDirectory() !== true) return false;
    const { device, inode } = this.identity();
    return now.dev === device && now.ino === inode;
  }

  /** Gives the folder that holds `path` and the name in it. Throws as the system does when a part is missing or a link. */
  within<T>(path: string, use: (folder: FolderHandle, name: string) => T): T {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    const folder = slash < 0 ? '' : path.slice(0, slash);
    return use(this.folder(folder), name);
  }

  /** Valid until the next call. */
  folder(folder: string): FolderHandle {
    if (this.#descriptor === undefined) {
      checkParts(this.path, folder);
      return { at: (name) => join(this.path, folder, name) };
    }
    if (folder === '') return { at: (name) => `/proc/self/fd/${this.#descriptor}/${name}` };
    if (this.#last?.folder !== folder) {
      this.release();
      this.#last = { folder, descriptor: this.#walk(folder) };
    }
    const { descriptor } = this.#last;
    return { at: (name) => `/proc/self/fd/${descriptor}/${name}` };
  }

  /** A second handle on the same folder, for a step that needs two folders at once. */
  reopen(): RootHandle {
    return new RootHandle(this.#descriptor === undefined ? this.path : `/proc/self/fd/${this.#descriptor}`);
  }

  /** Lets go of the folder used last: it may be renamed or replaced before the next run of changes. */
  release(): void {
    if (this.#last !== undefined) closeSync(this.#last.descriptor);
    this.#last = undefined;
  }

  [Symbol.dispose](): void {
    this.release();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #walk(folder: string): number {
    let current = this.#descriptor ?? -1;
    for (const part of folder.split('/')) {
      try {
        const next = openSync(`/proc/self/fd/${current}/${part}`, openFolder);
        if (current !== this.#descriptor) closeSync(current);
        current = next;
      } catch (error) {
        if (current !== this.#descriptor) closeSync(current);
        throw error;
      }
    }
    return current;
  }
}

function checkParts(root: string, folder: string): void {
  let path = root;
  for (const part of folder.split('/').filter((each) => each !== '')) {
    path = join(path, part);
    if (!lstatSync(path).isDirectory()) {
      throw Object.assign(new Error(`ENOTDIR: not a directory, '${part}'`), { code: 'ENOTDIR' });
    }
  }
}
