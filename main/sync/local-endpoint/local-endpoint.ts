import { readFileSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { SlipwayError } from '../../base/errors.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { Change } from '../change.ts';
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
import { pathProblem } from '../paths.ts';
import type { PathRulesOptions } from '../rules.ts';
import { createPathRules } from '../rules.ts';
import type { Watcher } from '../watcher.ts';
import { PatchBases } from '../blocks/patch-bases.ts';
import { CopyError, FileWriter, applyStep, failureOf } from './apply-disk.ts';
import { RootHandle } from './beneath-root.ts';
import { ChokidarWatcher } from './chokidar-watcher.ts';
import { DirectoryWatcher } from './directory-watcher.ts';
import type { DiskListing } from './disk-service.ts';
import { DiskService } from './disk-service.ts';
import type { DiskTrash } from './disk-trash.ts';
import { lookAt } from './hash-paths.ts';
import { readerOf } from './read-files.ts';
import { escapeName, isSystemError, wordsOf } from './scan-disk.ts';
import { signFile } from './sign-file.ts';

export interface LocalEndpointOptions {
  readonly root: string;
  readonly rules: PathRulesOptions;
  readonly trash: DiskTrash;
  readonly clock: Clock;
  /** Look at the files this often instead of waiting for events. */
  readonly pollMs?: number | undefined;
}

/** Paths that are looked at without the worker, and the size up to which their content is. */
const inlinePaths = 64;
const inlineHashBytes = 512 * 1024;
const sliceMs = 8;
/** Names that cannot travel and were told; more say nothing new. */
const badNamesLimit = 1_000;
/** How often the root itself is checked: a moved root sends no event that could be trusted. */
const rootCheckMs = 2000;

/** Opens the laptop's side: watching has begun when this resolves. Throws `sync.local-path-…` for a folder that cannot be used. */
export async function openLocalEndpoint(options: LocalEndpointOptions): Promise<Endpoint> {
  let endpoint: LocalEndpoint;
  try {
    endpoint = new LocalEndpoint(options, realpathSync(options.root));
  } catch (error) {
    throw rootError(options.root, error);
  }
  await endpoint.start();
  return endpoint;
}

class LocalEndpoint implements Endpoint {
  readonly clockOffsetMs = 0;
  readonly umask = ownUmask();
  readonly read: ReadFiles;
  readonly #options: LocalEndpointOptions;
  readonly #path: string;
  readonly #service: DiskService;
  readonly #hints = new Emitter<Hint>();
  readonly #notices = new Emitter<string>();
  readonly #rules;
  readonly #bases = new PatchBases();
  #root: RootHandle;
  #watcher: Watcher;
  #rootCheck: Disposable | undefined;
  #rootGone = false;
  #ended = false;
  readonly #badNames = new Set<string>();
  #hinted = new Map<string, { readonly isFolder: boolean }>();
  readonly onHint = this.#hints.event;
  /** What was said before anybody listened, as a limit that is reached when watching begins. */
  #early: string[] | undefined = [];
  readonly onNotice: Event<string> = (listener) => {
    const subscription = this.#notices.event(listener);
    for (const message of this.#early ?? []) listener(message);
    this.#early = undefined;
    return subscription;
  };
  readonly lost = new Promise<never>(() => undefined);

  constructor(options: LocalEndpointOptions, path: string) {
    this.#options = options;
    this.#service = new DiskService(options.clock);
    this.#path = path;
    this.#rules = createPathRules(options.rules);
    this.#root = new RootHandle(path);
    this.#watcher = this.#createWatcher();
    this.read = (paths, readOptions) => readerOf(this.#root)(paths, readOptions);
  }

  get root(): RootIdentity {
    return { ...this.#root.identity(), container: hostname() };
  }

  async start(): Promise<void> {
    await this.#watcher.start();
    this.#scheduleRootCheck();
  }

  async scan(
    options: { readonly below?: readonly string[]; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Scan> {
    await this.#ensureRoot();
    const entries = new Map<string, Entry>();
    const problems: Problem[] = [];
    for (const below of options.below ?? ['']) {
      options.signal?.throwIfAborted();
      try {
        const listing = await this.#service.scan(this.#path, below, this.#options.rules);
        for (const [path, entry] of listing.entries) if (entry !== undefined) entries.set(path, entry);
        problems.push(...listing.problems);
      } catch (error) {
        throw isSystemError(error) ? rootError(this.#options.root, error) : error;
      }
    }
    // Nothing that was found below another folder may be taken for this one.
    if (!this.#root.isCurrent()) throw rootError(this.#options.root, goneError());
    return { entries, problems, root: this.root, moved: false };
  }

  async inspect(
    paths: readonly string[],
    options: { readonly digest: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<Inspection> {
    const entries = new Map<string, Entry | undefined>();
    const problems: Problem[] = [];
    const large: string[] = [];
    if (!this.#root.isCurrent()) throw rootError(this.#options.root, goneError());
    let sliceEnd = performance.now() + sliceMs;
    for (const path of paths) {
      if (performance.now() > sliceEnd) {
        this.#root.release();
        await new Promise((resolve) => setImmediate(resolve));
        options.signal?.throwIfAborted();
        sliceEnd = performance.now() + sliceMs;
      }
      const problem = pathProblem(path);
      if (problem !== undefined) {
        if (this.#isNewProblem(path))
          problems.push({ path: escapeName(path), message: `Not synced: ${problem}` });
        continue;
      }
      try {
        const entry = lookAt(this.#root, path, false);
        const hash = options.digest && entry?.kind === 'file';
        if (!hash) entries.set(path, entry);
        else if (paths.length > inlinePaths || entry.size > inlineHashBytes) large.push(path);
        else entries.set(path, lookAt(this.#root, path, true));
      } catch (error) {
        problems.push({ path, message: wordsOf(error) });
      }
    }
    this.#root.release();
    if (large.length > 0) {
      const hashed = await this.#hash(large);
      for (const [path, entry] of hashed.entries) entries.set(path, entry);
      problems.push(...hashed.problems);
    }
    return { entries, problems };
  }

  async apply(changes: readonly Change[], options: ApplyOptions): Promise<void> {
    const puts = changes.filter((change) => change.kind === 'put');
    const content = options
      .read(
        puts.map(({ path }) => path),
        {
          bases: this.#bases.of(puts, (path) => signFile(this.#root, path, options.signal)),
          priority: options.priority,
          signal: options.signal,
        },
      )
      [Symbol.asyncIterator]();
    let sliceEnd = performance.now() + sliceMs;
    try {
      for (const change of changes) {
        options.signal?.throwIfAborted();
        if (!this.#root.isCurrent()) throw rootError(this.#options.root, goneError());
        if (change.kind === 'put') options.onOutcome(change, await this.#put(change, content));
        else options.onOutcome(change, applyStep(this.#root, this.#options.trash, change));
        if (performance.now() < sliceEnd) continue;
        this.#root.release();
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnd = performance.now() + sliceMs;
      }
    } finally {
      this.#root.release();
      await content.return?.();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.#rootCheck?.[Symbol.dispose]();
    await this.#watcher[Symbol.asyncDispose]();
    await this.#service[Symbol.asyncDispose]();
    this.#root[Symbol.dispose]();
    this.#hints[Symbol.dispose]();
    this.#notices[Symbol.dispose]();
  }

  async #hash(paths: readonly string[]): Promise<DiskListing> {
    try {
      return await this.#service.hash(this.#path, paths);
    } catch (error) {
      throw isSystemError(error) ? rootError(this.#options.root, error) : error;
    }
  }

  async #put(
    change: Extract<Change, { kind: 'put' }>,
    content: AsyncIterator<FilePart>,
  ): Promise<ApplyOutcome> {
    let writer: FileWriter | undefined;
    let failure: ApplyOutcome | undefined;
    let mtimeNs = change.source.mtimeNs;
    let onBase = false;
    try {
      for (;;) {
        const next = await content.next();
        if (next.done === true)
          return { kind: 'source-changed', reason: 'gone', message: 'The content did not arrive' };
        const part = next.value;
        if (part.path !== change.path) return { kind: 'refused', message: `Content of another file arrived` };
        if (part.kind === 'begin') {
          if (part.entry.kind === 'file') mtimeNs = part.entry.mtimeNs;
          onBase = part.onBase === true;
          if (part.entry.kind === 'file' && part.entry.size > change.source.size + growthLimit)
            failure = tooLong;
        } else if (part.kind === 'data' || part.kind === 'copy') {
          if (failure !== undefined) continue;
          try {
            writer ??= new FileWriter(this.#root, this.#options.trash, change);
            if (part.kind === 'data') writer.write(part.data);
            else await writer.copy(part.from, part.length);
          } catch (error) {
            failure = error instanceof CopyError ? this.#wholeNextTime(change.path) : failureOf(error);
          }
        } else {
          if (part.error !== undefined)
            return { kind: 'source-changed', reason: part.error.kind, message: part.error.message };
          if (failure !== undefined) return failure;
          try {
            writer ??= new FileWriter(this.#root, this.#options.trash, change);
          } catch (error) {
            return failureOf(error);
          }
          const outcome = writer.finish(part.digest, mtimeNs);
          if (outcome.kind === 'refused' && onBase) return this.#wholeNextTime(change.path);
          if (outcome.kind === 'applied') this.#bases.arrived(change.path);
          return outcome;
        }
      }
    } finally {
      writer?.discard();
    }
  }

  /** What came in parts was not the file that it was to be. */
  #wholeNextTime(path: string): ApplyOutcome {
    this.#bases.sendWhole(path);
    return { kind: 'source-changed', reason: 'changing', message: 'The parts do not make up the file' };
  }

  #createWatcher(): Watcher {
    const { clock, pollMs } = this.#options;
    const root = this.#path;
    const watcher =
      process.platform === 'linux' && pollMs === undefined
        ? new DirectoryWatcher({ root, rules: this.#rules, clock })
        : new ChokidarWatcher({ root, rules: this.#rules, pollMs });
    watcher.onHint((hint) => {
      if (hint.kind === 'missed') this.#hints.fire({ paths: [], overflow: true });
      else this.#collect(hint.path, hint.kind === 'folder');
    });
    watcher.onNotice((message) => {
      this.#early?.push(message);
      this.#notices.fire(message);
    });
    return watcher;
  }

  /** Events of one turn of the event loop are one hint: a rename shows both its names at once. */
  #collect(path: string, isFolder: boolean): void {
    if (this.#hinted.size === 0) {
      setImmediate(() => {
        const hinted = this.#hinted;
        this.#hinted = new Map();
        const folders = [...hinted].filter(([, hint]) => hint.isFolder).map(([folder]) => folder);
        if (!this.#ended) this.#hints.fire({ paths: [...hinted.keys()], folders, overflow: false });
      });
    }
    if (isFolder || !this.#hinted.has(path)) this.#hinted.set(path, { isFolder });
  }

  #scheduleRootCheck(): void {
    this.#rootCheck = this.#options.clock.timer(rootCheckMs, () => {
      if (this.#ended) return;
      const gone = !this.#root.isCurrent();
      if (gone !== this.#rootGone) this.#hints.fire({ paths: [], overflow: true });
      this.#rootGone = gone;
      this.#scheduleRootCheck();
    });
  }

  /** Something that is written all the time under a name that cannot travel is named once. */
  #isNewProblem(path: string): boolean {
    if (this.#badNames.has(path) || this.#badNames.size >= badNamesLimit) return false;
    this.#badNames.add(path);
    return true;
  }

  /** A root that was replaced by another folder is opened anew, with an identity of its own. */
  async #ensureRoot(): Promise<void> {
    if (this.#root.isCurrent()) return;
    let next: RootHandle;
    try {
      if (realpathSync(this.#options.root) !== this.#path) throw goneError();
      next = new RootHandle(this.#path);
    } catch (error) {
      throw rootError(this.#options.root, error);
    }
    this.#root[Symbol.dispose]();
    this.#root = next;
    // That this one goes as well is news again, even before the next check.
    this.#rootGone = false;
    await this.#watcher[Symbol.asyncDispose]();
    this.#watcher = this.#createWatcher();
    await this.#watcher.start();
  }
}

/** Read where the kernel tells it: asking the process would set it for a moment. Undefined where files have no modes. */
function ownUmask(): number | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    const line = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return line?.[1] === undefined ? usualUmask : Number.parseInt(line[1], 8);
  } catch {
    return usualUmask;
  }
}

const usualUmask = 0o022;

/** A file may grow by this much between the decision and the reading of it. */
const growthLimit = 1024 ** 3;
const tooLong: ApplyOutcome = { kind: 'refused', message: 'Far more content than announced arrived' };

function goneError(): Error {
  return Object.assign(new Error('ENOENT: the folder is gone or was replaced'), { code: 'ENOENT' });
}

function rootError(path: string, error: unknown): SlipwayError {
  const code = (error as NodeJS.ErrnoException).code;
  const missing = code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
  return new SlipwayError({
    code: missing ? 'sync.local-path-missing' : 'sync.local-path-unreadable',
    message: missing ? `The folder ${path} does not exist` : `The folder ${path} cannot be read`,
    cause: missing
      ? 'It was moved, renamed or deleted, or the disk that it is on is not there.'
      : `The system says: ${wordsOf(error)}.`,
    next: missing
      ? 'Put it back in its place and the sync goes on; until then nothing is deleted in the container.'
      : 'Give yourself the right to read it, or name another folder.',
    origin: error,
  });
}
