import type { FSWatcher } from 'node:fs';
import { lstatSync, readFileSync, readdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import type { WatchHint, Watcher } from '../watcher.ts';
import type { ScanRules } from './scan-disk.ts';

export interface DirectoryWatcherOptions {
  readonly root: string;
  readonly rules: ScanRules;
  readonly clock: Clock;
  /** How often folders that cannot be watched are looked at. */
  readonly pollMs?: number | undefined;
  /** For tests of what happens at the system's limit. */
  readonly watchFolder?: typeof watch | undefined;
}

/** Milliseconds that adding watches may keep the event loop. */
const sliceMs = 8;
/** More events than this in a second may have overflown the kernel's queue of 16384. */
const burstLimit = 12_000;
const defaultPollMs = 1000;

/**
 * Watches each folder by one inotify watch (files need none). A new folder is watched first and looked into
 * afterwards, so that what was put in it meanwhile is found. Folders beyond the system's limit are polled.
 */
export class DirectoryWatcher implements Watcher {
  readonly #options: DirectoryWatcherOptions;
  readonly #hints = new Emitter<WatchHint>();
  readonly #notices = new Emitter<string>();
  readonly #watchers = new Map<string, FSWatcher>();
  /** Folder to what was in it at the last look. */
  readonly #polled = new Map<string, ReadonlyMap<string, string>>();
  #poller: Disposable | undefined;
  #noticed = false;
  #ended = false;
  #burst = { since: 0, count: 0, told: false };
  readonly onHint = this.#hints.event;
  readonly onNotice = this.#notices.event;

  constructor(options: DirectoryWatcherOptions) {
    this.#options = options;
  }

  async start(signal?: AbortSignal): Promise<void> {
    const pending = [''];
    let sliceEnd = this.#options.clock.monotonic() + sliceMs;
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      pending.push(...this.#add(folder));
      if (this.#options.clock.monotonic() < sliceEnd) continue;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      if (this.#ended) return;
      sliceEnd = this.#options.clock.monotonic() + sliceMs;
    }
  }

  get watchedFolders(): number {
    return this.#watchers.size;
  }

  get polledFolders(): number {
    return this.#polled.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.#poller?.[Symbol.dispose]();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#polled.clear();
    this.#hints[Symbol.dispose]();
    this.#notices[Symbol.dispose]();
  }

  /** Watches one folder and gives the folders in it. */
  #add(folder: string): readonly string[] {
    if (this.#ended || this.#watchers.has(folder) || this.#polled.has(folder)) return [];
    if (folder !== '' && this.#options.rules.excluded(folder, true)) return [];
    this.#watch(folder);
    return this.#foldersIn(folder);
  }

  #watch(folder: string): void {
    const full = join(this.#options.root, folder);
    try {
      const watcher = (this.#options.watchFolder ?? watch)(full, { persistent: true }, (type, name) => {
        if (type === 'rename' && name !== null && name === basename(folder)) this.#renew(folder);
        this.#onEvent(folder, name);
      });
      watcher.on('error', () => this.#remove(folder));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOSPC' && code !== 'EMFILE' && code !== 'ENOMEM') return;
      this.#poll(folder, code);
    }
  }

  #foldersIn(folder: string): readonly string[] {
    try {
      return readdirSync(join(this.#options.root, folder), { withFileTypes: true })
        .filter((item) => item.isDirectory())
        .map((item) => (folder === '' ? item.name : `${folder}/${item.name}`));
    } catch {
      return [];
    }
  }

  #onEvent(folder: string, name: string | null): void {
    if (this.#ended) return;
    this.#countBurst();
    if (name === null) return this.#hints.fire({ kind: 'missed', reason: 'The system named no file' });
    const path = folder === '' ? name : `${folder}/${name}`;
    this.#follow(path);
    this.#hints.fire({ kind: 'path', path });
  }

  /**
   * An event about the watched folder itself is named like a child. The folder may be another one by now, often under
   * the same inode number, of which the old watch says nothing.
   */
  #renew(folder: string): void {
    this.#removeTree(folder);
    this.#follow(folder);
  }

  /** Keeps the set of watched folders in step with what is there. */
  #follow(path: string): void {
    let isFolder = false;
    try {
      isFolder = lstatSync(join(this.#options.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
    } catch {
      // Not readable: its parent's hint is enough.
    }
    if (isFolder) {
      if (this.#watchers.has(path) || this.#polled.has(path)) return;
      const pending = [path];
      for (let folder = pending.pop(); folder !== undefined; folder = pending.pop())
        pending.push(...this.#add(folder));
      if (this.#watchers.has(path) || this.#polled.has(path)) this.#hints.fire({ kind: 'folder', path });
    } else if (this.#watchers.has(path) || this.#polled.has(path)) this.#removeTree(path);
  }

  #removeTree(path: string): void {
    for (const folder of [...this.#watchers.keys(), ...this.#polled.keys()]) {
      if (folder === path || folder.startsWith(`${path}/`)) this.#remove(folder);
    }
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    this.#polled.delete(folder);
    if (folder === '' && !this.#ended)
      this.#hints.fire({ kind: 'missed', reason: 'The folder itself changed' });
  }

  #countBurst(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#burst.since > 1000) this.#burst = { since: now, count: 0, told: false };
    this.#burst.count++;
    if (this.#burst.count <= burstLimit || this.#burst.told) return;
    this.#burst.told = true;
    this.#options.clock.timer(1000, () => {
      if (!this.#ended)
        this.#hints.fire({ kind: 'missed', reason: 'More changes at once than the system keeps' });
    });
  }

  #poll(folder: string, code: string): void {
    this.#polled.set(folder, this.#signatures(folder));
    if (!this.#noticed) {
      this.#noticed = true;
      this.#notices.fire(limitNotice(code));
    }
    this.#poller ??= this.#schedulePoll();
  }

  #schedulePoll(): Disposable {
    return this.#options.clock.timer(this.#options.pollMs ?? defaultPollMs, () => {
      for (const [folder, before] of this.#polled) this.#comparePolled(folder, before);
      if (!this.#ended) this.#poller = this.#schedulePoll();
    });
  }

  #comparePolled(folder: string, before: ReadonlyMap<string, string>): void {
    const now = this.#signatures(folder);
    this.#polled.set(folder, now);
    for (const name of new Set([...before.keys(), ...now.keys()])) {
      if (before.get(name) !== now.get(name)) this.#onEvent(folder, name);
    }
  }

  #signatures(folder: string): ReadonlyMap<string, string> {
    const result = new Map<string, string>();
    const full = join(this.#options.root, folder);
    let names: string[] = [];
    try {
      names = readdirSync(full);
    } catch {
      return result;
    }
    for (const name of names) {
      const stat = lstatSync(join(full, name), { bigint: true, throwIfNoEntry: false });
      if (stat !== undefined) {
        const times = stat.isDirectory() ? '' : `${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}`;
        result.set(name, `${stat.ino} ${stat.mode} ${times}`);
      }
    }
    return result;
  }
}

function limitNotice(code: string): string {
  const [setting, what] =
    code === 'EMFILE' ? ['max_user_instances', 'watchers'] : ['max_user_watches', 'watched folders'];
  let current = 'unknown';
  try {
    current = readFileSync(`/proc/sys/fs/inotify/${setting}`, 'utf8').trim();
  } catch {
    // Not Linux, or hidden: the name of the setting is what helps.
  }
  return (
    `The system's limit of ${what} is reached (fs.inotify.${setting} is ${current}). ` +
    `The other folders are looked at every second instead; raise the setting to watch them.`
  );
}
