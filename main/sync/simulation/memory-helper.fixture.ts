import { SlipwayError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { BatchItem, ContentPart, HelperConnection, RemoteScan } from '../../helper/connection.ts';
import type {
  Changes,
  Entry as WireEntry,
  OperationResult,
  Problem,
  WatchState,
} from '../../helper/gen/slipway/helper/v1/helper.ts';
import { EntryKind } from '../../helper/gen/slipway/helper/v1/helper.ts';
import type { Entry } from '../entry.ts';
import { parentOf } from '../tree.ts';
import { entryToWire } from '../wire-entry.ts';
import { digestOf } from './content-digest.fixture.ts';
import { HelperApplier } from './helper-applier.fixture.ts';
import { lostError, readParts, rootGone } from './memory-endpoint.fixture.ts';
import type { SimulatedContainer } from './simulated-container.fixture.ts';
import type { Random } from './random.fixture.ts';
import type { AppProcess, SimulatedClock } from './simulated-clock.fixture.ts';

/** What goes wrong between the laptop and a container, and in it. */
export interface WireFaults {
  readonly random: Random;
  /** Probability with which a call loses the connection, before or after it took effect. */
  lose: number;
  /** Most milliseconds that a message, a look or a step takes. */
  delay: number;
  /** Probability with which a batch arrives twice, or after the one behind it. */
  disorder: number;
  /** Probability with which events are lost, which the watcher notices. */
  overflow: number;
  /** Probability with which a scan fails. */
  scanFails: number;
  /** Bytes of content in one slice of a file. */
  readonly sliceBytes: number;
  /** Names that no honest helper would tell. */
  hostileNames: readonly string[];
}

interface Frame {
  readonly items: readonly BatchItem[];
  readonly answer: (results: readonly OperationResult[]) => void;
}

/** What a stalled stream may hold back, in milliseconds. */
const longestStall = 8000;
/** Most milliseconds that a batch takes once it is on its way. */
const longestFrameMs = 2000;

/**
 * The app's connection to a helper in a simulated container. Batches travel one behind the other and take their time;
 * when the connection is lost they are lost with it, or arrive long after, as a stalled stream's do.
 */
export class MemoryHelper implements HelperConnection {
  readonly remoteUmask = 0o022;
  readonly remoteUid = 0;
  readonly lost: Promise<SlipwayError>;
  readonly clockOffsetMs: number;
  /** Small, so that a file takes several slices. */
  readonly sliceBytes: number;
  readonly #container: SimulatedContainer;
  readonly #clock: SimulatedClock;
  readonly #app: AppProcess;
  readonly #faults: WireFaults;
  readonly #applier: HelperApplier;
  readonly #changes = new Emitter<Changes>();
  readonly #watchState = new Emitter<WatchState>();
  readonly #onStalled: (until: number) => void;
  readonly #subscription: Disposable;
  readonly #queue: { interactive: Frame[]; bulk: Frame[] } = { interactive: [], bulk: [] };
  readonly #rejections = new Set<(error: SlipwayError) => void>();
  #lose: (error: SlipwayError) => void = () => undefined;
  #lossReason: SlipwayError | undefined;
  #pumping = false;
  /** The helper's process is gone: nothing arrives any more. */
  #ended = false;
  #stallUntil = 0;
  #opsUntilDeath = Infinity;
  #pending = new Set<string>();
  #newsFree = 0;
  readonly onChanges = this.#changes.event;
  readonly onWatchState = this.#watchState.event;

  constructor(options: {
    readonly container: SimulatedContainer;
    readonly clock: SimulatedClock;
    readonly app: AppProcess;
    readonly faults: WireFaults;
    readonly epoch: number;
    readonly onStalled: (until: number) => void;
  }) {
    this.#onStalled = options.onStalled;
    this.#container = options.container;
    this.#clock = options.clock;
    this.#app = options.app;
    this.#faults = options.faults;
    this.sliceBytes = options.faults.sliceBytes;
    this.clockOffsetMs = options.container.disk.skewMs;
    this.#applier = new HelperApplier(options.container, options.epoch);
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    this.#subscription = this.#container.disk.onChange.event((path) => this.#onChange(path));
    options.app.onKilled(() => this.end(options.faults.random.chance(0.5) ? 'cut' : 'stalled'));
  }

  get root(): { device: bigint; inode: bigint; kind: EntryKind } {
    return { device: 1n, inode: this.#container.disk.rootInode, kind: EntryKind.ENTRY_KIND_DIRECTORY };
  }

  async scan(options: { readonly below: readonly string[] }): Promise<RemoteScan> {
    await this.#call();
    const { disk } = this.#container;
    const before = disk.version;
    const entries = new Map<string, WireEntry>();
    const problems: Problem[] = [];
    const below = options.below.length === 0 ? [''] : options.below;
    const names = [...disk.tree.children('')];
    // A walk takes time: what it saw first may be another moment's than what it saw last.
    const split = this.#faults.random.below(names.length + 1);
    this.#walk(names.slice(0, split), below, entries, problems);
    await this.#pause();
    this.#walk(names.slice(split), below, entries, problems);
    for (const name of this.#faults.hostileNames) entries.set(name, hostileEntry());
    if (this.#faults.random.chance(this.#faults.scanFails)) {
      if (this.#faults.random.chance(0.5)) throw scanFailed();
      this.end('cut');
    }
    const { root } = this;
    const moved = disk.version !== before;
    await this.#call();
    return { entries, problems, root, moved };
  }

  async *readContent(paths: readonly string[]): AsyncGenerator<ContentPart> {
    for (const path of paths) {
      await this.#call();
      for await (const part of readParts(this.#container.disk, path, false, () => this.#pause())) {
        await this.#call(0);
        if (part.kind === 'begin') yield { path, entry: entryToWire(part.entry) };
        else if (part.kind === 'data') yield { path, data: part.data };
        else if (part.kind === 'end')
          yield { path, end: { digest: Buffer.from(part.digest, 'hex'), error: part.error?.message ?? '' } };
      }
    }
  }

  async checksums(paths: readonly string[]): Promise<ReadonlyMap<string, WireEntry>> {
    await this.#call();
    const answer = new Map(paths.map((path) => [path, this.#look(path, true)]));
    await this.#call();
    return answer;
  }

  async apply(
    items: readonly BatchItem[],
    priority: 'interactive' | 'bulk',
  ): Promise<readonly OperationResult[]> {
    await this.#app.step();
    if (this.#lossReason !== undefined) throw this.#lossReason;
    const results = await new Promise<readonly OperationResult[]>((resolve, reject) => {
      this.#rejections.add(reject);
      this.#queue[priority].push({
        items,
        answer: (found) => {
          this.#rejections.delete(reject);
          resolve(found);
        },
      });
      void this.#pump();
    });
    await this.#app.step();
    return results;
  }

  /** Nothing here is big enough to travel by blocks. */
  async sign(): Promise<undefined> {
    await this.#call();
    return undefined;
  }

  limitBandwidth(): void {
    // Simulated links are as slow as their delays.
  }

  async listTrash(): Promise<{ items: never[]; totalBytes: number }> {
    return { items: [], totalBytes: 0 };
  }

  /** The helper dies so many operations from now, in the middle of whatever it does. */
  dieAfter(operations: number): void {
    this.#opsUntilDeath = operations;
  }

  overflow(): void {
    this.#changes.fire({ changes: [], overflow: true, root: this.root, problems: [] });
  }

  /** `cut`: what is on its way is lost. `stalled`: the app gives up, and it arrives later all the same. */
  end(how: 'cut' | 'stalled', reason: SlipwayError = lostError()): void {
    if (how === 'cut') this.#ended = true;
    else {
      this.#stallUntil = this.#clock.monotonic() + this.#faults.random.below(longestStall);
      this.#onStalled(this.#stallUntil + longestFrameMs);
    }
    if (this.#lossReason !== undefined) return;
    this.#lossReason = reason;
    this.#subscription[Symbol.dispose]();
    for (const reject of this.#rejections) reject(reason);
    this.#rejections.clear();
    this.#lose(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end('stalled');
  }

  /** Delivers one batch after the other; what is interactive leaves first. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    const { random, disorder } = this.#faults;
    for (;;) {
      let frame = this.#queue.interactive.shift() ?? this.#queue.bulk.shift();
      if (frame === undefined) break;
      if (random.chance(disorder)) {
        const later = this.#queue.interactive.shift() ?? this.#queue.bulk.shift();
        if (later !== undefined) {
          await this.#deliver(later);
        } else await this.#deliver({ items: frame.items, answer: () => undefined });
      }
      await this.#deliver(frame);
      frame = undefined;
    }
    this.#pumping = false;
  }

  async #deliver({ items, answer }: Frame): Promise<void> {
    await this.#clock.sleep(this.#faults.random.below(this.#faults.delay + 1));
    const stalled = this.#stallUntil - this.#clock.monotonic();
    if (stalled > 0) await this.#clock.sleep(stalled);
    if (this.#ended) return;
    const release = this.#container.hold(this.#applier.epoch);
    if (release === undefined) return this.end('cut');
    const results: OperationResult[] = [];
    try {
      for (const item of items) {
        if (--this.#opsUntilDeath < 0) this.end('cut');
        if (this.#ended) return;
        await this.#pause();
        results.push(this.#applier.one(item));
      }
    } finally {
      release();
    }
    if (this.#faults.random.chance(this.#faults.lose)) return this.end('cut');
    await this.#clock.sleep(this.#faults.random.below(this.#faults.delay + 1));
    if (this.#lossReason === undefined) answer(results);
  }

  #walk(
    names: readonly string[],
    below: readonly string[],
    entries: Map<string, WireEntry>,
    problems: Problem[],
  ): void {
    const { disk, rules } = this.#container;
    const visit = (path: string): void => {
      const entry = disk.tree.get(path);
      if (entry === undefined || rules.excluded(path, entry.kind === 'directory')) return;
      const asked = below.some((each) => each === '' || path === each || path.startsWith(`${each}/`));
      const leads = below.some((each) => each.startsWith(`${path}/`));
      if (asked) entries.set(path, entryToWire(entry));
      if (entry.kind !== 'directory' || (!asked && !leads)) return;
      if (disk.isDenied(path)) problems.push({ path, message: 'EACCES: permission denied' });
      else for (const child of disk.tree.children(path)) visit(child);
    };
    for (const name of names) visit(name);
  }

  #look(path: string, digest: boolean): WireEntry {
    const { disk } = this.#container;
    const hidden = parentOf(path) !== '' && disk.isDenied(parentOf(path));
    const entry: Entry | undefined = hidden ? { kind: 'other', description: '' } : disk.tree.get(path);
    const content = disk.contents.get(path);
    if (entry?.kind !== 'file' || !digest || content === undefined || disk.isDenied(path))
      return entryToWire(entry);
    return entryToWire({ ...entry, digest: digestOf(content) });
  }

  #onChange(path: string): void {
    if (this.#pending.size === 0) {
      // One stream: what happened first is told first.
      const wait = 1 + this.#faults.random.below(this.#faults.delay + 1);
      this.#newsFree = Math.max(this.#newsFree, this.#clock.monotonic() + wait);
      this.#clock.timer(this.#newsFree - this.#clock.monotonic(), () => this.#tell());
    }
    this.#pending.add(path);
  }

  #tell(): void {
    const { disk, rules } = this.#container;
    const paths = [...this.#pending];
    this.#pending = new Set();
    if (this.#lossReason !== undefined) return;
    if (disk.gone) return this.end('cut', rootGone('remote'));
    const { random, overflow } = this.#faults;
    if (random.chance(overflow)) return this.overflow();
    const digests = random.chance(0.5);
    const changes = paths
      .filter((path) => parentOf(path) === '' || !disk.isDenied(parentOf(path)))
      .filter((path) => !rules.excluded(path, disk.tree.get(path)?.kind === 'directory'))
      .map((path) => ({ path, entry: this.#look(path, digests) }));
    const news: Changes = { changes, overflow: false, root: this.root, problems: [] };
    this.#changes.fire(news);
    if (random.chance(0.05)) this.#changes.fire(news);
  }

  async #pause(): Promise<void> {
    const { random, delay } = this.#faults;
    if (delay > 0 && random.chance(0.3)) await this.#clock.sleep(random.below(delay + 1));
  }

  async #call(share = 1): Promise<void> {
    const { random, delay, lose } = this.#faults;
    await this.#app.step();
    if (delay > 0 && share > 0) await this.#clock.sleep(random.below(delay * share + 1));
    if (random.chance(lose)) this.end(random.chance(0.5) ? 'cut' : 'stalled');
    await this.#app.step();
    if (this.#container.disk.gone) this.end('cut', rootGone('remote'));
    if (this.#lossReason !== undefined) throw this.#lossReason;
  }
}

function hostileEntry(): WireEntry {
  const entry = {
    kind: 'file',
    mode: 0o644,
    size: 4,
    mtimeNs: 1n,
    ctimeNs: 1n,
    inode: 1n,
    links: 1,
  } as const;
  return entryToWire(entry);
}

/** The helper is there, and could not walk its folder. */
function scanFailed(): SlipwayError {
  return new SlipwayError({
    code: 'sync.scan-failed',
    message: 'The folder could not be read',
    next: 'Wait.',
  });
}
