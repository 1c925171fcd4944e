import { SlipwayError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Change, FileEntry } from '../change.ts';
import { sameStat } from '../compare.ts';
import type {
  ApplyOptions,
  ApplyOutcome,
  Endpoint,
  FilePart,
  Hint,
  Inspection,
  ReadFiles,
  Scan,
} from '../endpoint.ts';
import type { Entry, Problem, RootIdentity } from '../entry.ts';
import { isCoarse, isRacy } from '../racy.ts';
import { parentOf } from '../tree.ts';
import { digestOf } from './content-digest.fixture.ts';
import type { MemoryDisk } from './memory-disk.fixture.ts';
import type { KeptVersions } from './memory-state.fixture.ts';
import type { Random } from './random.fixture.ts';
import type { AppProcess, SimulatedClock } from './simulated-clock.fixture.ts';

/** What goes wrong with the folder of a laptop. */
export interface LaptopFaults {
  readonly random: Random;
  /** Most milliseconds that a look, a step or an event takes. */
  delay: number;
  /** Probability with which events are lost, which the watcher notices. */
  overflow: number;
}

export interface MemoryEndpointOptions {
  readonly disk: MemoryDisk;
  readonly clock: SimulatedClock | AppProcess;
  readonly container: string;
  /** Hints carry entries, as the helper's do. */
  readonly pushes: boolean;
  readonly faults?: LaptopFaults | undefined;
  readonly app?: AppProcess | undefined;
  /** Where what is replaced or removed goes. */
  readonly kept?: KeptVersions | undefined;
  readonly umask?: number | undefined;
}

/** An endpoint on a memory disk, as the laptop's: calls take time, events are late and may be lost or doubled. */
export class MemoryEndpoint implements Endpoint {
  readonly clockOffsetMs = 0;
  readonly umask: number | undefined;
  readonly lost: Promise<SlipwayError>;
  readonly read: ReadFiles;
  readonly #options: MemoryEndpointOptions;
  readonly #disk: MemoryDisk;
  readonly #hints = new Emitter<Hint>();
  readonly #notices = new Emitter<string>();
  readonly #subscription: Disposable;
  #lose: (error: SlipwayError) => void = () => undefined;
  #dead = false;
  #pending = new Set<string>();
  readonly onHint = this.#hints.event;
  readonly onNotice = this.#notices.event;

  constructor(options: MemoryEndpointOptions) {
    this.#options = options;
    this.#disk = options.disk;
    this.umask = 'umask' in options ? options.umask : 0o022;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    this.read = (paths, readOptions) => this.#read(paths, readOptions?.acceptChanging ?? new Set());
    this.#subscription = this.#disk.onChange.event((path) => this.#onChange(path));
    options.app?.onKilled(() => this.#subscription[Symbol.dispose]());
  }

  get root(): RootIdentity {
    return { device: 1n, inode: this.#disk.rootInode, container: this.#options.container };
  }

  async scan(options: { readonly below?: readonly string[] } = {}): Promise<Scan> {
    await this.#call();
    const below = options.below ?? [''];
    const entries = new Map<string, Entry>();
    const problems: Problem[] = [];
    for (const [path, entry] of this.#disk.tree.entries()) {
      const asked = below.some((folder) => folder === '' || path === folder || path.startsWith(`${folder}/`));
      if (!asked || this.#disk.isDenied(parentOf(path))) continue;
      entries.set(path, entry);
      if (entry.kind === 'directory' && this.#disk.isDenied(path))
        problems.push({ path, message: 'EACCES: permission denied' });
    }
    await this.#call();
    return { entries, problems, root: this.root, moved: false };
  }

  async inspect(paths: readonly string[], options: { readonly digest: boolean }): Promise<Inspection> {
    await this.#call();
    const entries = new Map<string, Entry | undefined>();
    const problems: Problem[] = [];
    for (const path of paths) {
      const unreadable = options.digest ? this.#disk.isDenied(path) : this.#disk.isDenied(parentOf(path));
      if (unreadable && this.#disk.tree.get(path)?.kind !== 'directory')
        problems.push({ path, message: 'EACCES: permission denied' });
      else entries.set(path, this.#look(path, options.digest));
    }
    await this.#call();
    return { entries, problems };
  }

  async apply(changes: readonly Change[], options: ApplyOptions): Promise<void> {
    const puts = changes.filter((change) => change.kind === 'put').map(({ path }) => path);
    const content = options.read(puts, { acceptChanging: options.acceptChanging })[Symbol.asyncIterator]();
    for (const change of changes) {
      options.signal?.throwIfAborted();
      const received = change.kind === 'put' ? await receive(content) : undefined;
      await this.#call();
      const outcome = this.#applyOne(change, received);
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

  /** The watcher notices that it may have missed something. */
  overflow(): void {
    this.#hints.fire({ paths: [], overflow: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
  }

  async *#read(paths: readonly string[], acceptChanging: ReadonlySet<string>): AsyncGenerator<FilePart> {
    for (const path of paths) {
      await this.#call();
      yield* readParts(this.#disk, path, acceptChanging.has(path), () => this.#call());
    }
  }

  #applyOne(
    change: Change,
    received: { readonly content: string; readonly entry: FileEntry } | ApplyOutcome | undefined,
  ): ApplyOutcome {
    if (received !== undefined && 'kind' in received) return received;
    const disk = this.#disk;
    const { tree } = disk;
    const now = tree.get(disk.nameFor(change.path));
    if (now !== undefined && tree.get(change.path) === undefined) return { kind: 'mismatch', now };
    if (!this.#isExpected(change.path, now, change.expected)) return { kind: 'mismatch', now };
    const target = change.kind === 'rename' ? change.to : change.path;
    const parent = parentOf(target);
    if (parent !== '' && tree.get(parent)?.kind !== 'directory') return { kind: 'mismatch', now };
    if (disk.isDenied(change.path) || disk.isDenied(target))
      return { kind: 'failed', code: 'EACCES', message: 'EACCES: permission denied' };
    if (disk.full && change.kind === 'put')
      return { kind: 'failed', code: 'ENOSPC', message: 'ENOSPC: no space left on the disk' };
    return disk.asSync(() => this.#do(change, received));
  }

  #do(
    change: Change,
    received: { readonly content: string; readonly entry: FileEntry } | undefined,
  ): ApplyOutcome {
    const disk = this.#disk;
    const done = (now: Entry | undefined, bytes = 0): ApplyOutcome => ({
      kind: 'applied',
      now,
      inPlace: false,
      bytes,
    });
    switch (change.kind) {
      case 'put': {
        if (received === undefined) return { kind: 'refused', message: 'no content' };
        this.#keep(change);
        const { mode } = change;
        const { mtimeNs } = received.entry;
        const entry = disk.write(change.path, received.content, { mode, mtimeNs });
        const digest = digestOf(received.content);
        return done(entry.kind === 'file' ? { ...entry, digest } : entry, received.content.length);
      }
      case 'directory':
        if (disk.tree.get(change.path) !== undefined)
          return { kind: 'mismatch', now: disk.tree.get(change.path) };
        return done(disk.makeFolder(change.path, change.mode));
      case 'symlink':
        return done(disk.link(change.path, change.target));
      case 'chmod':
        return done(disk.changeMode(change.path, change.mode));
      case 'delete':
        if (disk.tree.hasChildren(change.path)) return { kind: 'not-empty' };
        this.#keep(change);
        disk.remove(change.path);
        return done(undefined);
      case 'rename': {
        const there = disk.tree.get(disk.nameFor(change.to));
        if (there !== undefined) return { kind: 'mismatch', now: disk.tree.get(change.path) };
        disk.move(change.path, change.to);
        return done(disk.changeMode(change.to, change.mode));
      }
    }
  }

  #keep(change: Change): void {
    const old = this.#disk.contents.get(change.path);
    if (old !== undefined)
      this.#options.kept?.keep(change.path, old, change.why === 'settled' || change.why === 'first-sync');
  }

  #isExpected(path: string, now: Entry | undefined, expected: Entry | undefined): boolean {
    if (now?.kind !== expected?.kind) return false;
    if (now?.kind === 'symlink' && expected?.kind === 'symlink') return now.target === expected.target;
    if (now?.kind !== 'file' || expected?.kind !== 'file') return true;
    const hidden = isCoarse(now) && expected.digest !== undefined && isRacy(now, this.#disk.now());
    if (sameStat(now, expected) && !hidden) return true;
    return digestOf(this.#disk.contents.get(path) ?? '') === expected.digest;
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
      const { faults, clock } = this.#options;
      clock.timer(1 + (faults?.random.below(faults.delay + 1) ?? 0), () => this.#tell());
    }
    this.#pending.add(path);
  }

  #tell(): void {
    const paths = [...this.#pending];
    this.#pending = new Set();
    if (this.#dead) return;
    const { faults, pushes } = this.#options;
    if (faults?.random.chance(faults.overflow) === true) return this.overflow();
    const entries = pushes ? new Map(paths.map((path) => [path, this.#disk.tree.get(path)])) : undefined;
    const hint: Hint = { paths, entries, overflow: false };
    this.#hints.fire(hint);
    if (faults?.random.chance(0.1) === true) this.#hints.fire(hint);
  }

  async #call(): Promise<void> {
    const { faults, clock, app } = this.#options;
    await app?.step();
    if (faults !== undefined && faults.delay > 0) {
      await clock.sleep(faults.random.below(faults.delay + 1));
      await app?.step();
    }
    if (this.#dead) throw lostError();
    if (this.#disk.gone) throw rootGone('local');
  }
}

/** Pieces in which a content is read; what is written between two of them shows in the times. */
const pieces = 2;

/** Reads a file as a real reader does: what it opened, piece by piece, while others write into it. */
export async function* readParts(
  disk: MemoryDisk,
  path: string,
  acceptChanging: boolean,
  pause: () => Promise<void>,
): AsyncGenerator<FilePart> {
  const entry = disk.tree.get(path);
  const opened = disk.contents.get(path);
  const failed = (kind: 'gone' | 'changing' | 'unreadable', message: string): FilePart => ({
    kind: 'end',
    path,
    digest: '',
    error: { kind, message },
  });
  if (disk.isDenied(path)) {
    yield failed('unreadable', 'EACCES: permission denied');
    return;
  }
  if (entry?.kind !== 'file' || opened === undefined) {
    yield failed('gone', 'ENOENT: the file is gone');
    return;
  }
  yield { kind: 'begin', path, entry };
  let text = '';
  const step = Math.ceil(entry.size / pieces);
  for (let offset = 0; offset < entry.size; offset += step) {
    await pause();
    const now = disk.tree.get(path);
    // A file that was replaced is still read to its end by whoever has it open.
    // Where times are coarse, nobody could tell such a mixture; there a file is read at one moment.
    const sameFile = now?.kind === 'file' && now.inode === entry.inode && disk.hasFineTimes;
    const current = sameFile ? (disk.contents.get(path) ?? opened) : opened;
    text += current.slice(offset, Math.min(offset + step, entry.size));
    yield { kind: 'data', path, data: Buffer.from(text.slice(offset)) };
  }
  await pause();
  const after = disk.tree.get(path);
  const unchanged = after?.kind !== 'file' || after.inode !== entry.inode || sameStat(after, entry);
  const still = after?.kind === 'file' && after.inode === entry.inode && unchanged;
  if (text.length !== entry.size || (!still && !acceptChanging)) {
    yield failed('changing', 'The file is changing');
    return;
  }
  yield { kind: 'end', path, digest: digestOf(text) };
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

export function lostError(): SlipwayError {
  return new SlipwayError({ code: 'helper.lost', message: 'The connection is gone', next: 'Wait.' });
}

export function rootGone(side: 'local' | 'remote'): SlipwayError {
  const code = side === 'local' ? 'sync.local-path-missing' : 'sync.remote-path-missing';
  return new SlipwayError({ code, message: 'The folder is gone', next: 'Put it back.' });
}
