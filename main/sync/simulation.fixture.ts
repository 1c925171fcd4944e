import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Change, FileEntry } from './change.ts';
import { sameStat } from './compare.ts';
import type {
  ApplyOptions,
  ApplyOutcome,
  Endpoint,
  FilePart,
  Hint,
  Inspection,
  ReadFiles,
  Scan,
} from './endpoint.ts';
import type { Entry, RootIdentity } from './entry.ts';
import type { AncestorFiles } from './ancestor-files.ts';
import type { Trash, TrashReason, TrashedVersion } from './trash.ts';
import { Tree, parentOf } from './tree.ts';

/** A small generator of which a seed gives the same numbers everywhere. */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed * 2654435761 + 1;
  }
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('Nothing to pick from');
    return item;
  }
  chance(probability: number): boolean {
    return this.next() < probability;
  }
}

/** Time that moves only when told to; everything that waits for it runs in the order of its time. */
export class SimulatedClock implements Clock {
  #now = 0;
  #wall = 1_700_000_000_000;
  #next = 0;
  readonly #timers = new Map<number, { readonly due: number; readonly run: () => void }>();

  now(): number {
    return this.#wall;
  }
  monotonic(): number {
    return this.#now;
  }
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const timer = this.timer(milliseconds, resolve);
      signal?.addEventListener('abort', () => {
        timer[Symbol.dispose]();
        reject(signal.reason as Error);
      });
      return undefined;
    });
  }
  timer(milliseconds: number, callback: () => void): Disposable {
    const id = this.#next++;
    this.#timers.set(id, { due: this.#now + Math.max(0, milliseconds), run: callback });
    return { [Symbol.dispose]: () => void this.#timers.delete(id) };
  }
  /** The wall clock jumps; durations do not. */
  jump(milliseconds: number): void {
    this.#wall += milliseconds;
  }
  /** Runs everything that falls into the next milliseconds. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      let first: number | undefined;
      let due = Infinity;
      for (const [id, timer] of this.#timers) if (timer.due < due) [first, due] = [id, timer.due];
      if (first === undefined || due > end) break;
      const timer = this.#timers.get(first);
      this.#timers.delete(first);
      this.#move(Math.max(due, this.#now));
      timer?.run();
      await settle();
    }
    this.#move(end);
  }
  #move(to: number): void {
    this.#wall += to - this.#now;
    this.#now = to;
  }
}

/** Lets everything that can run without time passing run. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A file system in memory, with what a real one shows of a change: times, inodes, contents. */
export class MemoryDisk {
  readonly tree = new Tree();
  readonly contents = new Map<string, string>();
  readonly onChange = new Emitter<string>();
  readonly trash: string[] = [];
  readonly #clock: Clock;
  #inode = 100n;
  rootInode: bigint;
  /** Every change gets a time of its own, as on file systems with nanoseconds. */
  #tick = 0n;
  full = false;

  constructor(clock: Clock, rootInode: bigint) {
    this.#clock = clock;
    this.rootInode = rootInode;
  }

  write(path: string, content: string, mode = 0o644, mtimeNs?: bigint): Entry {
    this.#makeParents(path);
    const before = this.tree.get(path);
    if (before?.kind === 'directory') this.remove(path);
    const time = this.#time();
    const inode = before?.kind === 'file' && mtimeNs === undefined ? before.inode : this.#inode++;
    const entry: Entry = {
      kind: 'file',
      mode,
      size: content.length,
      mtimeNs: mtimeNs ?? time,
      ctimeNs: time,
      inode,
      links: 1,
    };
    this.tree.set(path, entry);
    this.contents.set(path, content);
    this.onChange.fire(path);
    return entry;
  }

  makeFolder(path: string, mode = 0o755): Entry {
    this.#makeParents(path);
    this.contents.delete(path);
    const entry: Entry = { kind: 'directory', mode, inode: this.#inode++ };
    this.tree.set(path, entry);
    this.onChange.fire(path);
    return entry;
  }

  link(path: string, target: string): Entry {
    const entry: Entry = { kind: 'symlink', target };
    this.tree.set(path, entry);
    this.onChange.fire(path);
    return entry;
  }

  changeMode(path: string, mode: number): Entry | undefined {
    const entry = this.tree.get(path);
    if (entry?.kind === 'file') this.tree.set(path, { ...entry, mode, ctimeNs: this.#time() });
    if (entry?.kind === 'directory') this.tree.set(path, { ...entry, mode });
    this.onChange.fire(path);
    return this.tree.get(path);
  }

  remove(path: string): void {
    for (const child of [...this.tree.descendants(path)].reverse()) this.#removeOne(child);
    this.#removeOne(path);
  }

  move(from: string, to: string): void {
    if (from === to || to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) return;
    this.remove(to);
    this.#makeParents(to);
    const moved = [from, ...this.tree.descendants(from)].map(
      (path) => [path, this.tree.get(path), this.contents.get(path)] as const,
    );
    for (const [path] of [...moved].reverse()) this.#removeOne(path);
    for (const [path, entry, content] of moved) {
      const target = to + path.slice(from.length);
      if (entry === undefined) continue;
      this.tree.set(target, entry.kind === 'file' ? { ...entry, ctimeNs: this.#time() } : entry);
      if (content !== undefined) this.contents.set(target, content);
      this.onChange.fire(target);
    }
  }

  /** What a person would compare: path to content. */
  picture(): Record<string, string> {
    const lines = [...this.tree.entries()].map(([path, entry]): [string, string] => {
      if (entry.kind === 'file')
        return [path, `${(entry.mode & 0o100) !== 0 ? 'x' : '-'} ${this.contents.get(path)}`];
      return [path, entry.kind === 'symlink' ? `-> ${entry.target}` : entry.kind];
    });
    return Object.fromEntries(lines.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #time(): bigint {
    return BigInt(Math.round(this.#clock.now() * 1e6)) + this.#tick++;
  }

  #removeOne(path: string): void {
    if (this.tree.get(path) === undefined) return;
    this.tree.delete(path);
    this.contents.delete(path);
    this.onChange.fire(path);
  }

  #makeParents(path: string): void {
    const parent = parentOf(path);
    if (parent === '' || this.tree.get(parent)?.kind === 'directory') return;
    if (this.tree.get(parent) !== undefined) this.remove(parent);
    this.makeFolder(parent);
  }
}

export interface Faults {
  readonly random: Random;
  /** Probability with which a call loses the connection, before or after it took effect. */
  lose: number;
  /** Most milliseconds that a call takes. */
  delay: number;
}

/** An endpoint on a memory disk. Calls take time and may be cut; events are late, and may be doubled. */
export class MemoryEndpoint implements Endpoint {
  readonly clockOffsetMs = 0;
  readonly umask = 0o022;
  readonly lost: Promise<SlipwayError>;
  readonly read: ReadFiles;
  readonly #disk: MemoryDisk;
  readonly #clock: SimulatedClock;
  readonly #faults: Faults | undefined;
  readonly #container: string;
  readonly #pushes: boolean;
  readonly #isOnLaptop: ((content: string) => boolean) | undefined;
  /** What was replaced here although it should have been fetched before, and was not. */
  readonly unkept: string[] = [];
  readonly #hints = new Emitter<Hint>();
  readonly #notices = new Emitter<string>();
  readonly #subscription: Disposable;
  #lose: (error: SlipwayError) => void = () => undefined;
  #dead = false;
  #pending = new Set<string>();
  readonly onHint = this.#hints.event;
  readonly onNotice = this.#notices.event;

  constructor(options: {
    readonly disk: MemoryDisk;
    readonly clock: SimulatedClock;
    readonly container: string;
    /** Hints carry entries, as the helper's do. */
    readonly pushes: boolean;
    readonly faults?: Faults | undefined;
    /** Whether a content is in the laptop's trash. */
    readonly isOnLaptop?: ((content: string) => boolean) | undefined;
  }) {
    this.#disk = options.disk;
    this.#clock = options.clock;
    this.#faults = options.faults;
    this.#container = options.container;
    this.#pushes = options.pushes;
    this.#isOnLaptop = options.isOnLaptop;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    this.read = (paths) => this.#read(paths);
    this.#subscription = this.#disk.onChange.event((path) => this.#onChange(path));
  }

  get root(): RootIdentity {
    return { device: 1n, inode: this.#disk.rootInode, container: this.#container };
  }

  async scan(options: { readonly below?: readonly string[] } = {}): Promise<Scan> {
    await this.#call();
    const below = options.below ?? [''];
    const entries = new Map<string, Entry>();
    for (const [path, entry] of this.#disk.tree.entries()) {
      if (below.some((folder) => folder === '' || path === folder || path.startsWith(`${folder}/`)))
        entries.set(path, entry);
    }
    return { entries, problems: [], root: this.root, moved: false };
  }

  async inspect(paths: readonly string[], options: { readonly digest: boolean }): Promise<Inspection> {
    const entries = new Map<string, Entry | undefined>();
    for (const path of paths) entries.set(path, this.#look(path, options.digest));
    await this.#call();
    return { entries, problems: [] };
  }

  async apply(changes: readonly Change[], options: ApplyOptions): Promise<void> {
    const puts = changes.filter((change) => change.kind === 'put').map(({ path }) => path);
    const content = options.read(puts, { acceptChanging: options.acceptChanging })[Symbol.asyncIterator]();
    for (const change of changes) {
      options.signal?.throwIfAborted();
      const received = change.kind === 'put' ? await receive(content) : undefined;
      await this.#call();
      const outcome = this.#applyOne(change, received);
      // The change took effect; its acknowledgement may get lost.
      await this.#call();
      options.onOutcome(change, outcome);
    }
  }

  kill(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#subscription[Symbol.dispose]();
    this.#lose(lostError());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
  }

  async *#read(paths: readonly string[]): AsyncGenerator<FilePart> {
    for (const path of paths) {
      await this.#call();
      const entry = this.#disk.tree.get(path);
      const content = this.#disk.contents.get(path);
      if (entry?.kind !== 'file' || content === undefined) {
        yield { kind: 'end', path, digest: '', error: { kind: 'gone', message: 'gone' } };
        continue;
      }
      yield { kind: 'begin', path, entry };
      await this.#call();
      const now = this.#disk.tree.get(path);
      if (now?.kind !== 'file' || !sameStat(now, entry)) {
        yield { kind: 'end', path, digest: '', error: { kind: 'changing', message: 'changing' } };
        continue;
      }
      yield { kind: 'data', path, data: Buffer.from(content) };
      yield { kind: 'end', path, digest: digestOf(content) };
    }
  }

  #applyOne(
    change: Change,
    received: { readonly content: string; readonly entry: FileEntry } | ApplyOutcome | undefined,
  ): ApplyOutcome {
    const { tree } = this.#disk;
    if (received !== undefined && 'kind' in received) return received;
    const now = tree.get(change.path);
    if (!this.#isExpected(change.path, now, change.expected)) return { kind: 'mismatch', now };
    const parent = parentOf(change.kind === 'rename' ? change.to : change.path);
    if (parent !== '' && tree.get(parent)?.kind !== 'directory') return { kind: 'mismatch', now };
    if (this.#disk.full && change.kind === 'put')
      return { kind: 'failed', code: 'ENOSPC', message: 'ENOSPC: full' };
    const done = (entry: Entry | undefined, bytes = 0): ApplyOutcome => ({
      kind: 'applied',
      now: entry,
      inPlace: false,
      bytes,
    });
    const old = this.#disk.contents.get(change.path);
    switch (change.kind) {
      case 'put': {
        if (received === undefined) return { kind: 'refused', message: 'no content' };
        this.#keep(change, old);
        const entry = this.#disk.write(change.path, received.content, change.mode, received.entry.mtimeNs);
        return done(entry, received.content.length);
      }
      case 'directory':
        return done(this.#disk.makeFolder(change.path, change.mode));
      case 'symlink':
        return done(this.#disk.link(change.path, change.target));
      case 'chmod':
        return done(this.#disk.changeMode(change.path, change.mode));
      case 'delete':
        if (tree.hasChildren(change.path)) return { kind: 'not-empty' };
        this.#keep(change, old);
        this.#disk.remove(change.path);
        return done(undefined);
      case 'rename':
        if (tree.get(change.to) !== undefined) return { kind: 'mismatch', now };
        this.#disk.move(change.path, change.to);
        return done(this.#disk.changeMode(change.to, change.mode));
    }
  }

  /** Into this side's trash, except what has to be in the laptop's by now. */
  #keep(change: Change, old: string | undefined): void {
    if (old === undefined) return;
    if (change.keep === 'side' || this.#isOnLaptop === undefined) this.#disk.trash.push(old);
    else if (!this.#isOnLaptop(old)) this.unkept.push(`${change.path}: ${old}`);
  }

  #isExpected(path: string, now: Entry | undefined, expected: Entry | undefined): boolean {
    if (now?.kind !== expected?.kind) return false;
    if (now?.kind === 'symlink' && expected?.kind === 'symlink') return now.target === expected.target;
    if (now?.kind !== 'file' || expected?.kind !== 'file') return true;
    return sameStat(now, expected) || digestOf(this.#disk.contents.get(path) ?? '') === expected.digest;
  }

  #look(path: string, digest: boolean): Entry | undefined {
    const entry = this.#disk.tree.get(path);
    const content = this.#disk.contents.get(path);
    return digest && entry?.kind === 'file' && content !== undefined
      ? { ...entry, digest: digestOf(content) }
      : entry;
  }

  #onChange(path: string): void {
    if (this.#pending.size === 0) {
      this.#clock.timer(1 + (this.#faults?.random.below(this.#faults.delay + 1) ?? 0), () => this.#tell());
    }
    this.#pending.add(path);
  }

  #tell(): void {
    const paths = [...this.#pending];
    this.#pending = new Set();
    if (this.#dead) return;
    const entries = this.#pushes
      ? new Map(paths.map((path) => [path, this.#disk.tree.get(path)]))
      : undefined;
    const hint: Hint = { paths, entries, overflow: false };
    this.#hints.fire(hint);
    if (this.#faults?.random.chance(0.1) === true) this.#hints.fire(hint);
  }

  async #call(): Promise<void> {
    if (this.#faults !== undefined) {
      const { random, delay, lose } = this.#faults;
      if (delay > 0) await this.#clock.sleep(random.below(delay + 1));
      if (random.chance(lose)) this.kill();
    }
    if (this.#dead) throw lostError();
  }
}

async function receive(
  content: AsyncIterator<FilePart>,
): Promise<{ readonly content: string; readonly entry: FileEntry } | ApplyOutcome> {
  let text = '';
  let entry: FileEntry | undefined;
  for (;;) {
    const next = await content.next();
    if (next.done === true) return { kind: 'source-changed', reason: 'gone', message: 'nothing came' };
    const part = next.value;
    if (part.kind === 'begin' && part.entry.kind === 'file') entry = part.entry;
    if (part.kind === 'data') text += Buffer.from(part.data).toString();
    if (part.kind !== 'end') continue;
    if (part.error !== undefined)
      return { kind: 'source-changed', reason: part.error.kind, message: part.error.message };
    if (entry === undefined || digestOf(text) !== part.digest) return { kind: 'refused', message: 'digest' };
    return { content: text, entry };
  }
}

export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

function lostError(): SlipwayError {
  return new SlipwayError({ code: 'helper.lost', message: 'The connection is gone', next: 'Wait.' });
}

/** State files in memory; `tear` cuts the end off what was written last, as a crash would. */
export class MemoryFiles implements AncestorFiles {
  readonly files = new Map<string, Buffer>();
  async read(path: string): Promise<Buffer | undefined> {
    return this.files.get(path);
  }
  async write(path: string, content: Uint8Array | string): Promise<void> {
    this.files.set(path, Buffer.from(content as Uint8Array));
  }
  async append(path: string, content: Uint8Array): Promise<void> {
    this.files.set(path, Buffer.concat([this.files.get(path) ?? Buffer.alloc(0), content]));
  }
  async remove(path: string): Promise<void> {
    this.files.delete(path);
  }
  async list(): Promise<readonly string[]> {
    return [];
  }
  tear(bytes: number): void {
    for (const [path, content] of this.files) {
      if (path.endsWith('journal'))
        this.files.set(path, content.subarray(0, Math.max(0, content.length - bytes)));
    }
  }
}

/** The laptop's trash as a list of contents. */
export class MemoryTrash implements Trash {
  readonly capBytes: number;
  readonly full = false;
  readonly contents: string[] = [];

  constructor(capBytes = 1e9) {
    this.capBytes = capBytes;
  }

  async store(
    _: string,
    __: FileEntry,
    content: AsyncIterable<Uint8Array>,
    ___: TrashReason,
  ): Promise<boolean> {
    let text = '';
    for await (const piece of content) text += Buffer.from(piece).toString();
    this.contents.push(text);
    return true;
  }
  async list(): Promise<readonly TrashedVersion[]> {
    return [];
  }
  async read(): Promise<Buffer | undefined> {
    return undefined;
  }
  async prune(): Promise<readonly TrashedVersion[]> {
    return [];
  }
}
