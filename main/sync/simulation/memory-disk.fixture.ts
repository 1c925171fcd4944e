import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import type { Entry } from '../entry.ts';
import { Tree, ancestorsOf, parentOf } from '../tree.ts';

/** Who changed something: a program of the user, or the sync. */
export type Actor = 'user' | 'sync';

/** Sees everything that happens on a disk, before it happens. */
export interface DiskObserver {
  written(path: string, content: string, actor: Actor): void;
  /** Something goes, with its content if it is a file; `moved` when it only gets another name. */
  removed(
    path: string,
    content: string | undefined,
    actor: Actor,
    how: 'deleted' | 'overwritten' | 'moved',
  ): void;
  linked(path: string, target: string, actor: Actor): void;
  /** After whatever happened at a path. */
  changed(path: string, actor: Actor): void;
}

export interface DiskOptions {
  readonly observer?: DiskObserver | undefined;
  /** Steps of the times that it keeps, in nanoseconds; 0: every change has a time of its own. */
  readonly granularityNs?: bigint | undefined;
  /** Its clock minus the laptop's. */
  readonly skewMs?: number | undefined;
  /** Names that differ in case only are one name. */
  readonly foldsCase?: boolean | undefined;
}

/** A file system in memory, with what a real one shows of a change: times, inodes, contents. */
export class MemoryDisk {
  readonly tree = new Tree();
  readonly contents = new Map<string, string>();
  readonly onChange = new Emitter<string>();
  readonly #clock: Clock;
  readonly #options: DiskOptions;
  #inode = 100n;
  rootInode: bigint;
  #tick = 0n;
  #actor: Actor = 'user';
  skewMs: number;
  /** Grows with each change. */
  version = 0;
  full = false;
  /** The root is not at its place. */
  gone = false;
  /** Paths that the system refuses to read or change, with everything below. */
  readonly denied = new Set<string>();

  constructor(clock: Clock, rootInode: bigint, options: DiskOptions = {}) {
    this.#clock = clock;
    this.rootInode = rootInode;
    this.#options = options;
    this.skewMs = options.skewMs ?? 0;
  }

  get hasFineTimes(): boolean {
    return (this.#options.granularityNs ?? 0n) === 0n;
  }

  /** Its own clock. */
  now(): number {
    return this.#clock.now() + this.skewMs;
  }

  /** Does something as the sync. */
  asSync<T>(action: () => T): T {
    this.#actor = 'sync';
    try {
      return action();
    } finally {
      this.#actor = 'user';
    }
  }

  deny(path: string): void {
    if (this.tree.get(path) === undefined) return;
    this.denied.add(path);
    this.#changed(path);
  }

  /** Everything may be read and changed again, which is a change of modes. */
  allowAll(): void {
    const paths = [...this.denied];
    this.denied.clear();
    for (const path of paths) if (this.tree.get(path) !== undefined) this.#changed(path);
  }

  isDenied(path: string): boolean {
    if (this.denied.size === 0) return false;
    if (this.denied.has(path)) return true;
    for (const folder of ancestorsOf(path)) if (this.denied.has(folder)) return true;
    return false;
  }

  /** Writes into the file that is there, or puts a new one in its place. */
  write(
    path: string,
    content: string,
    options: { readonly mode?: number; readonly mtimeNs?: bigint; readonly replace?: boolean } = {},
  ): Entry {
    const name = this.nameFor(path);
    this.#makeParents(name);
    const before = this.tree.get(name);
    if (before?.kind === 'directory') this.remove(name);
    const old = this.contents.get(name);
    if (old !== undefined && old !== content)
      this.#options.observer?.removed(name, old, this.#actor, 'overwritten');
    this.#options.observer?.written(name, content, this.#actor);
    const time = this.#time();
    const keepsInode = before?.kind === 'file' && options.replace !== true && options.mtimeNs === undefined;
    const entry: Entry = {
      kind: 'file',
      mode: options.mode ?? 0o644,
      size: content.length,
      mtimeNs: options.mtimeNs === undefined ? time : this.#kept(options.mtimeNs),
      ctimeNs: time,
      inode: keepsInode ? before.inode : this.#inode++,
      links: 1,
    };
    this.tree.set(name, entry);
    this.contents.set(name, content);
    this.#changed(name);
    return entry;
  }

  makeFolder(path: string, mode = 0o755): Entry {
    const name = this.nameFor(path);
    this.#makeParents(name);
    this.#dropContent(name);
    const entry: Entry = { kind: 'directory', mode, inode: this.#inode++ };
    this.tree.set(name, entry);
    this.#changed(name);
    return entry;
  }

  link(path: string, target: string): Entry {
    const name = this.nameFor(path);
    this.#makeParents(name);
    if (this.tree.get(name)?.kind === 'directory') this.remove(name);
    this.#dropContent(name);
    this.#options.observer?.linked(name, target, this.#actor);
    const entry: Entry = { kind: 'symlink', target };
    this.tree.set(name, entry);
    this.#changed(name);
    return entry;
  }

  changeMode(path: string, mode: number): Entry | undefined {
    const entry = this.tree.get(path);
    if (entry?.kind === 'file') this.tree.set(path, { ...entry, mode, ctimeNs: this.#time() });
    if (entry?.kind === 'directory') this.tree.set(path, { ...entry, mode });
    if (entry !== undefined) this.#changed(path);
    return this.tree.get(path);
  }

  remove(path: string): void {
    for (const child of [...this.tree.descendants(path)].reverse()) this.#removeOne(child, 'deleted');
    this.#removeOne(path, 'deleted');
  }

  move(from: string, to: string): void {
    if (this.tree.get(from) === undefined) return;
    const caseOnly = this.#options.foldsCase === true && from.toLowerCase() === to.toLowerCase();
    const target = caseOnly ? to : this.nameFor(to);
    if (from === target || target.startsWith(`${from}/`) || from.startsWith(`${target}/`)) return;
    if (!caseOnly) this.remove(target);
    const moved = [from, ...this.tree.descendants(from)].map(
      (path) => [path, this.tree.get(path), this.contents.get(path)] as const,
    );
    for (const [path] of [...moved].reverse()) this.#removeOne(path, 'moved');
    this.#makeParents(target);
    for (const [path, entry, content] of moved) {
      const name = target + path.slice(from.length);
      if (entry === undefined) continue;
      if (content !== undefined) this.#options.observer?.written(name, content, this.#actor);
      // Only what was named gets another time of change; what is below it is not touched by that.
      const touched = entry.kind === 'file' && path === from;
      this.tree.set(name, touched ? { ...entry, ctimeNs: this.#time() } : entry);
      if (content !== undefined) this.contents.set(name, content);
      this.#changed(name);
    }
  }

  /** What a person would compare: path to content. */
  picture(includes: (path: string, isDirectory: boolean) => boolean = () => true): Map<string, string> {
    const lines = new Map<string, string>();
    for (const [path, entry] of this.tree.entries()) {
      if (!includes(path, entry.kind === 'directory')) continue;
      if (entry.kind === 'file')
        lines.set(path, `${(entry.mode & 0o100) !== 0 ? 'x' : '-'} ${this.contents.get(path)}`);
      else lines.set(path, entry.kind === 'symlink' ? `-> ${entry.target}` : entry.kind);
    }
    return lines;
  }

  /** The name under which something is there, where case does not count. */
  nameFor(path: string): string {
    if (this.#options.foldsCase !== true) return path;
    let name = '';
    for (const part of path.split('/')) {
      const wanted = name === '' ? part : `${name}/${part}`;
      const key = wanted.toLowerCase();
      name = [...this.tree.children(name)].find((child) => child.toLowerCase() === key) ?? wanted;
    }
    return name;
  }

  #time(): bigint {
    const now = BigInt(Math.round(this.now() * 1e6));
    return this.#options.granularityNs === undefined || this.#options.granularityNs === 0n
      ? now + this.#tick++
      : this.#kept(now);
  }

  /** A time as this disk keeps it. */
  #kept(time: bigint): bigint {
    const step = this.#options.granularityNs ?? 0n;
    return step === 0n ? time : time - (time % step);
  }

  #changed(path: string): void {
    this.version++;
    this.#options.observer?.changed(path, this.#actor);
    this.onChange.fire(path);
  }

  #dropContent(path: string): void {
    const content = this.contents.get(path);
    if (content !== undefined) this.#options.observer?.removed(path, content, this.#actor, 'deleted');
    this.contents.delete(path);
  }

  #removeOne(path: string, how: 'deleted' | 'moved'): void {
    if (this.tree.get(path) === undefined) return;
    this.#options.observer?.removed(path, this.contents.get(path), this.#actor, how);
    this.tree.delete(path);
    this.contents.delete(path);
    this.denied.delete(path);
    this.#changed(path);
  }

  #makeParents(path: string): void {
    const parent = parentOf(path);
    if (parent === '' || this.tree.get(parent)?.kind === 'directory') return;
    if (this.tree.get(parent) !== undefined) this.remove(parent);
    this.makeFolder(parent);
  }
}
