import { createHash } from 'node:crypto';
import { copyFileSync, constants, existsSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { FileEntry } from '../change.ts';
import type { Trash, TrashReason, TrashedVersion } from '../trash.ts';

export interface DiskTrashOptions {
  /** Outside of the synced folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly capBytes?: number | undefined;
  readonly keepMs?: number | undefined;
}

/** Pruning for lack of room goes down to this share of the cap, so that it is not needed again at every change. */
const prunedShare = 0.9;
const versionsOfMinute = 999;
export const defaultTrashCapBytes = 2 * 1024 ** 3;
export const defaultTrashKeepMs = 7 * 24 * 3600_000;

/** A trash of plain files with a small description beside each, so that it can be read without the app. */
export class DiskTrash implements Trash {
  readonly capBytes: number;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #keepMs: number;
  #made = false;
  /** Counted from the first `prune` on. */
  #bytes = 0;

  constructor({
    folder,
    clock,
    capBytes = defaultTrashCapBytes,
    keepMs = defaultTrashKeepMs,
  }: DiskTrashOptions) {
    this.#folder = folder;
    this.#clock = clock;
    this.capBytes = capBytes;
    this.#keepMs = keepMs;
  }

  get full(): boolean {
    return this.#bytes > this.capBytes;
  }

  /**
   * Keeps the file at `from`, which is about to be replaced or removed: the inode itself where that is possible,
   * so that even a late write by somebody who has it open is kept. False when this minute's version is kept already,
   * which the loser of a conflict does not suffer: it was somebody's edit, and the user is told that it is here.
   */
  keepFile(from: string, path: string, entry: FileEntry, reason: TrashReason): boolean {
    const place = isLoser(reason) ? this.#nextPlace(path) : this.#placeOfMinute(path);
    if (existsSync(place)) return false;
    this.#keepAt(place, from, path, entry, reason);
    return true;
  }

  /**
   * The same, but never left out: what is replaced by hand may be another version of the same minute. Throws when
   * it cannot be kept.
   */
  keepAnyway(from: string, path: string, entry: FileEntry, reason: TrashReason): void {
    this.#keepAt(this.#nextPlace(path), from, path, entry, reason);
  }

  /** Where a version's content is; undefined for what is no id of a version that there is. */
  placeOf(id: string): string | undefined {
    if (!/^[0-9a-f-]{1,64}$/.test(id)) return undefined;
    const place = join(this.#folder, id);
    return existsSync(place) && existsSync(`${place}.json`) ? place : undefined;
  }

  async store(
    path: string,
    entry: FileEntry,
    content: AsyncIterable<Uint8Array>,
    reason: TrashReason,
  ): Promise<boolean> {
    const place = isLoser(reason) ? this.#nextPlace(path) : this.#placeOfMinute(path);
    if (existsSync(place)) return false;
    await this.#storeAt(place, path, entry, content, reason);
    return true;
  }

  /** Stores content from the container beside whatever there is of this minute; resolves with its id. */
  async storeAnyway(path: string, entry: FileEntry, content: AsyncIterable<Uint8Array>): Promise<string> {
    const place = this.#nextPlace(path);
    await this.#storeAt(place, path, entry, content, 'overwritten');
    return basename(place);
  }

  async list(): Promise<readonly TrashedVersion[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const versions: TrashedVersion[] = [];
    for (const name of names.filter((each) => each.endsWith('.json'))) {
      const text = await readFile(join(this.#folder, name), 'utf8').catch(() => undefined);
      const version = text === undefined ? undefined : parseVersion(name.slice(0, -'.json'.length), text);
      if (version !== undefined) versions.push(version);
    }
    return versions.sort((a, b) => a.trashedAt - b.trashedAt);
  }

  async find(id: string): Promise<TrashedVersion | undefined> {
    const text = await readFile(join(this.#folder, `${id}.json`), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : parseVersion(id, text);
  }

  async read(id: string): Promise<Buffer | undefined> {
    if (!/^[0-9a-f-]+$/.test(id)) return undefined;
    return readFile(join(this.#folder, id)).catch(() => undefined);
  }

  async prune(): Promise<readonly TrashedVersion[]> {
    // What is stored while the list is read is added to its sum, and at worst counted twice.
    this.#bytes = 0;
    const versions = await this.list();
    const total = versions.reduce((sum, { size }) => sum + size, 0);
    this.#bytes += total;
    const oldest = this.#clock.now() - this.#keepMs;
    let surplus = total > this.capBytes ? total - this.capBytes * prunedShare : 0;
    const crowdedOut: TrashedVersion[] = [];
    for (const version of versions) {
      const expired = version.trashedAt < oldest;
      if (!expired && surplus <= 0) break;
      await rm(join(this.#folder, version.id), { force: true });
      await rm(join(this.#folder, `${version.id}.json`), { force: true });
      this.#bytes -= version.size;
      surplus -= version.size;
      if (!expired) crowdedOut.push(version);
    }
    return crowdedOut;
  }

  async #storeAt(
    place: string,
    path: string,
    entry: FileEntry,
    content: AsyncIterable<Uint8Array>,
    reason: TrashReason,
  ): Promise<void> {
    const temporary = `${place}.tmp`;
    try {
      const handle = await open(temporary, 'w', 0o600);
      try {
        for await (const piece of content) await handle.writeFile(piece);
      } finally {
        await handle.close();
      }
      writeFileSync(`${place}.json`, this.#describe(path, entry, reason, 'remote'), { mode: 0o600 });
      await rename(temporary, place);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.#bytes += entry.size;
  }

  #placeOfMinute(path: string): string {
    this.#makeFolder();
    const minute = Math.floor(this.#clock.now() / 60_000);
    const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
    return join(this.#folder, `${minute.toString(16).padStart(8, '0')}-${name}`);
  }

  /** Beside the versions of this minute that there are. */
  #nextPlace(path: string): string {
    const first = this.#placeOfMinute(path);
    let place = first;
    for (let number = 1; existsSync(place); number++) {
      if (number > versionsOfMinute) throw new Error('There are too many versions of this minute');
      place = `${first}-${number}`;
    }
    return place;
  }

  #keepAt(place: string, from: string, path: string, entry: FileEntry, reason: TrashReason): void {
    if (entry.links > 1 || !tryLink(from, place)) copyFileSync(from, place, constants.COPYFILE_FICLONE);
    writeFileSync(`${place}.json`, this.#describe(path, entry, reason, 'local'), { mode: 0o600 });
    this.#bytes += entry.size;
  }

  #makeFolder(): void {
    if (!this.#made) mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#made = true;
  }

  #describe(path: string, entry: FileEntry, reason: TrashReason, origin: 'local' | 'remote'): string {
    return JSON.stringify({
      path,
      size: entry.size,
      mode: entry.mode,
      trashedAt: this.#clock.now(),
      reason,
      origin,
    });
  }
}

/** Somebody's edit that the other side never had: kept whatever else was kept this minute. */
function isLoser(reason: TrashReason): boolean {
  return reason === 'conflict' || reason === 'first-sync';
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function parseVersion(id: string, text: string): TrashedVersion | undefined {
  try {
    const value = JSON.parse(text) as Omit<TrashedVersion, 'id'>;
    return typeof value.path === 'string' && typeof value.trashedAt === 'number'
      ? { ...value, id }
      : undefined;
  } catch {
    return undefined;
  }
}
