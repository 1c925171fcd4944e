import type { AncestorFiles } from '../ancestor-files.ts';
import type { FileEntry } from '../change.ts';
import type { Trash, TrashReason, TrashedVersion } from '../trash.ts';
import type { Random } from './random.fixture.ts';
import type { AppProcess } from './simulated-clock.fixture.ts';

/** State files in memory. A process that is killed while it writes leaves the old file, or a torn end. */
export class MemoryFiles implements AncestorFiles {
  readonly files = new Map<string, Buffer>();
  app: AppProcess | undefined;
  random: Random | undefined;

  async read(path: string): Promise<Buffer | undefined> {
    return this.files.get(path);
  }
  async write(path: string, content: Uint8Array | string): Promise<void> {
    if (this.app?.diesHere() === true && this.random?.chance(0.5) === true) await never();
    if (this.app?.killed !== true) this.files.set(path, Buffer.from(content as Uint8Array));
    await this.app?.step();
  }
  async append(path: string, content: Uint8Array): Promise<void> {
    const dies = this.app?.diesHere() === true;
    if (this.app?.killed === true && !dies) await never();
    const written = dies ? content.subarray(0, this.random?.below(content.length + 1) ?? 0) : content;
    this.files.set(path, Buffer.concat([this.files.get(path) ?? Buffer.alloc(0), written]));
    await this.app?.step();
  }
  async remove(path: string): Promise<void> {
    await this.app?.step();
    this.files.delete(path);
  }
  async list(): Promise<readonly string[]> {
    return [];
  }
  /** Cuts the end off the journal, as a disk that loses what it said it had. */
  tear(bytes: number): void {
    for (const [path, content] of this.files) {
      if (path.endsWith('journal'))
        this.files.set(path, content.subarray(0, Math.max(0, content.length - bytes)));
    }
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

interface Kept {
  readonly path: string;
  readonly content: string;
  readonly minute: number;
}

/** Old versions of one side: the oldest goes when there are too many bytes, and one of a path is kept per minute. */
export class KeptVersions {
  readonly #now: () => number;
  readonly capBytes: number;
  /** Off: every version is kept, so that nothing has to be excused. */
  readonly #oncePerMinute: boolean;
  #versions: Kept[] = [];
  /** What went for lack of room. */
  readonly evicted = new Set<string>();

  constructor(now: () => number, options: { readonly capBytes: number; readonly oncePerMinute: boolean }) {
    this.#now = now;
    this.capBytes = options.capBytes;
    this.#oncePerMinute = options.oncePerMinute;
  }

  get bytes(): number {
    return this.#versions.reduce((sum, { content }) => sum + content.length, 0);
  }

  keep(path: string, content: string, always = false): boolean {
    if (!always && this.#hasOfThisMinute(path)) return false;
    this.#versions.push({ path, content, minute: this.#minute() });
    return true;
  }

  has(content: string): boolean {
    return this.#versions.some((kept) => kept.content === content);
  }

  /** Whether an earlier version of the path stands for those of this minute. */
  excuses(path: string): boolean {
    return (
      this.#oncePerMinute &&
      this.#versions.some((kept) => kept.path === path && kept.minute === this.#minute())
    );
  }

  prune(): readonly Kept[] {
    const gone: Kept[] = [];
    while (this.bytes > this.capBytes) {
      const oldest = this.#versions.shift();
      if (oldest === undefined) break;
      gone.push(oldest);
      this.evicted.add(oldest.content);
    }
    return gone;
  }

  #hasOfThisMinute(path: string): boolean {
    return this.excuses(path);
  }

  #minute(): number {
    return Math.floor(this.#now() / 60_000);
  }
}

/** The laptop's trash over {@link KeptVersions}. */
export class MemoryTrash implements Trash {
  readonly kept: KeptVersions;
  #app: AppProcess | undefined;

  constructor(kept: KeptVersions, app?: AppProcess) {
    this.kept = kept;
    this.#app = app;
  }

  get capBytes(): number {
    return this.kept.capBytes;
  }
  get full(): boolean {
    return this.kept.bytes > this.kept.capBytes;
  }
  async store(
    path: string,
    _: FileEntry,
    content: AsyncIterable<Uint8Array>,
    reason: TrashReason,
  ): Promise<boolean> {
    let text = '';
    for await (const piece of content) text += Buffer.from(piece).toString();
    await this.#app?.step();
    const kept = this.kept.keep(path, text, reason === 'conflict' || reason === 'first-sync');
    await this.#app?.step();
    return kept;
  }
  async list(): Promise<readonly TrashedVersion[]> {
    return [];
  }
  async read(): Promise<Buffer | undefined> {
    return undefined;
  }
  async prune(): Promise<readonly TrashedVersion[]> {
    await this.#app?.step();
    return this.kept.prune().map(({ path, content, minute }) => ({
      id: `${minute}`,
      path,
      size: content.length,
      mode: 0o644,
      trashedAt: minute * 60_000,
      reason: 'overwritten',
      origin: 'local',
    }));
  }
}
