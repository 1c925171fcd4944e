import { SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { BatchItem, HelperConnection } from '../helper/connection.ts';
import type {
  Entry as WireEntry,
  Operation,
  OperationResult,
} from '../helper/gen/slipway/helper/v1/helper.ts';
import { EntryKind, OperationResult_Outcome } from '../helper/gen/slipway/helper/v1/helper.ts';
import type { Change } from './change.ts';
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
import type { Entry, Problem, RootIdentity } from './entry.ts';
import { pathProblem } from './paths.ts';

/** Bytes of bodies and number of operations in one batch, and batches that may be unacknowledged. */
const batchBytes = 1024 * 1024;
const batchOperations = 256;
const batchesInFlight = 4;
const checksumsPerRequest = 500;

export interface RemoteEndpointOptions {
  /** Pod UID and container id: a restarted container is another root. */
  readonly container: string;
  /** A pair of two single files: what the file is called here and there. */
  readonly names?: { readonly local: string; readonly remote: string } | undefined;
}

/** The container's side of a pair, over an attached helper. Owns the connection. */
export function createRemoteEndpoint(connection: HelperConnection, options: RemoteEndpointOptions): Endpoint {
  const { names } = options;
  return new RemoteEndpoint(names === undefined ? connection : renamed(connection, names), options);
}

/** The same connection with the single file under the name that it has here. */
function renamed(
  connection: HelperConnection,
  { local, remote }: { readonly local: string; readonly remote: string },
): HelperConnection {
  const there = (path: string): string => (path === local ? remote : path);
  const here = (path: string): string => (path === remote ? local : path);
  const hereMap = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...map].filter(([path]) => path === remote).map(([path, value]) => [here(path), value]));
  return {
    root: connection.root,
    clockOffsetMs: connection.clockOffsetMs,
    remoteUmask: connection.remoteUmask,
    remoteUid: connection.remoteUid,
    onWatchState: connection.onWatchState,
    lost: connection.lost,
    onChanges: (listener) =>
      connection.onChanges((changes) => {
        const own = changes.changes.filter(({ path }) => path === remote);
        listener({ ...changes, changes: own.map((change) => ({ ...change, path: here(change.path) })) });
      }),
    scan: async (options) => {
      const scan = await connection.scan({ ...options, below: [] });
      return {
        ...scan,
        entries: hereMap(scan.entries),
        problems: scan.problems.filter(({ path }) => path === remote),
      };
    },
    async *readContent(paths, signal) {
      for await (const part of connection.readContent(paths.map(there), signal))
        yield { ...part, path: here(part.path) };
    },
    checksums: async (paths, signal) => hereMap(await connection.checksums(paths.map(there), signal)),
    apply: (items, priority) =>
      connection.apply(
        items.map((item) => ({
          ...item,
          operation: { ...item.operation, path: there(item.operation.path) },
        })),
        priority,
      ),
    listTrash: () => connection.listTrash(),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

class RemoteEndpoint implements Endpoint {
  readonly clockOffsetMs: number;
  readonly umask: number;
  readonly lost: Promise<SlipwayError>;
  readonly read: ReadFiles;
  readonly #connection: HelperConnection;
  readonly #container: string;
  readonly #hints = new Emitter<Hint>();
  readonly #notices = new Emitter<string>();
  readonly #subscriptions: readonly Disposable[];
  readonly root: RootIdentity;
  #loseRoot: (error: SlipwayError) => void = () => undefined;
  #staging = 0;
  readonly onHint = this.#hints.event;
  readonly onNotice = this.#notices.event;

  constructor(connection: HelperConnection, options: RemoteEndpointOptions) {
    this.#connection = connection;
    this.#container = options.container;
    this.root = this.#identity(connection.root);
    this.clockOffsetMs = connection.clockOffsetMs;
    this.umask = connection.remoteUmask;
    const rootLost = new Promise<SlipwayError>((resolve) => {
      this.#loseRoot = resolve;
    });
    this.lost = Promise.race([connection.lost, rootLost]);
    this.read = (paths, readOptions) => this.#read(paths, readOptions?.signal);
    this.#subscriptions = [
      connection.onChanges((changes) => this.#onChanges(changes)),
      connection.onWatchState((state) => {
        if (state.polling) this.#notices.fire(`Some folders in the container are polled: ${state.reason}`);
      }),
    ];
  }

  async scan(
    options: { readonly below?: readonly string[]; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Scan> {
    const { signal } = options;
    const found = await this.#connection.scan({
      below: options.below ?? [],
      ...(signal === undefined ? {} : { signal }),
    });
    const entries = new Map<string, Entry>();
    const problems: Problem[] = [...found.problems];
    for (const [path, wire] of found.entries) {
      const problem = pathProblem(path);
      const entry = entryFromWire(wire);
      if (problem !== undefined) problems.push({ path, message: `Not synced: ${problem}` });
      else if (entry !== undefined) entries.set(path, entry);
    }
    this.#requireSameRoot(found.root);
    return { entries, problems, root: this.root, moved: found.moved };
  }

  async inspect(
    paths: readonly string[],
    options: { readonly digest: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<Inspection> {
    const entries = new Map<string, Entry | undefined>();
    const problems: Problem[] = [];
    for (let start = 0; start < paths.length; start += checksumsPerRequest) {
      const asked = paths.slice(start, start + checksumsPerRequest);
      const answer = await this.#connection.checksums(asked, options.signal);
      for (const path of asked) {
        const wire = answer.get(path);
        if (wire === undefined) problems.push({ path, message: 'The helper did not say what is there' });
        else entries.set(path, entryFromWire(wire));
      }
    }
    return { entries, problems };
  }

  async apply(changes: readonly Change[], options: ApplyOptions): Promise<void> {
    const batcher = new Batcher(this.#connection, options);
    const puts = changes.filter((change) => change.kind === 'put').map(({ path }) => path);
    const content = options
      .read(puts, { acceptChanging: options.acceptChanging, signal: options.signal })
      [Symbol.asyncIterator]();
    try {
      for (const change of changes) {
        options.signal?.throwIfAborted();
        if (change.kind === 'put') await this.#sendFile(change, content, batcher);
        else await batcher.add({ operation: operationOf(change) }, change, true, 0);
      }
    } finally {
      await content.return?.();
      await batcher.finish();
    }
    batcher.throwIfFailed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    this.#hints[Symbol.dispose]();
    this.#notices[Symbol.dispose]();
    await this.#connection[Symbol.asyncDispose]();
  }

  /** Sends one file in slices; the last one, which makes it visible, only once the whole was read. */
  async #sendFile(
    change: Extract<Change, { kind: 'put' }>,
    content: AsyncIterator<FilePart>,
    batcher: Batcher,
  ): Promise<void> {
    const staging = `${this.#staging++}`;
    let held = new Uint8Array();
    let offset = 0;
    let { mtimeNs } = change.source;
    let { size } = change.source;
    const slice = (final: boolean, digest: string): BatchItem => ({
      operation: {
        path: change.path,
        expected: entryToWire(change.expected),
        action: {
          $case: 'put',
          value: {
            staging,
            offset: BigInt(offset),
            final,
            size: BigInt(size),
            digest: Buffer.from(digest, 'hex'),
            mode: change.mode,
            mtimeNs,
          },
        },
      },
      body: held,
    });
    for (;;) {
      const next = await content.next();
      if (next.done === true)
        return batcher.settle(change, { kind: 'source-changed', reason: 'gone', message: 'No content' });
      const part = next.value;
      if (part.kind === 'begin') {
        if (part.entry.kind === 'file') ({ mtimeNs, size } = part.entry);
      } else if (part.kind === 'data') {
        if (held.length + part.data.length > batchBytes) {
          await batcher.add(slice(false, ''), change, false, held.length);
          offset += held.length;
          held = new Uint8Array();
        }
        held = held.length === 0 ? new Uint8Array(part.data) : Buffer.concat([held, part.data]);
      } else {
        if (part.error !== undefined) {
          if (offset > 0) {
            // A slice that does not follow makes the helper drop what it has of the file.
            offset = 0;
            held = new Uint8Array();
            await batcher.add(slice(false, ''), change, false, 0);
          }
          return batcher.settle(change, {
            kind: 'source-changed',
            reason: part.error.kind,
            message: part.error.message,
          });
        }
        const total = offset + held.length;
        return batcher.add(slice(true, part.digest), change, true, total);
      }
    }
  }

  async *#read(paths: readonly string[], signal: AbortSignal | undefined): AsyncGenerator<FilePart> {
    if (paths.length === 0) return;
    for await (const part of this.#connection.readContent(paths, signal)) {
      const { path } = part;
      if (part.entry !== undefined) {
        const entry = entryFromWire(part.entry);
        if (entry !== undefined) yield { kind: 'begin', path, entry };
      }
      if (part.data !== undefined && part.data.length > 0) yield { kind: 'data', path, data: part.data };
      if (part.end === undefined) continue;
      if (part.end.error === '')
        yield { kind: 'end', path, digest: Buffer.from(part.end.digest).toString('hex') };
      else yield { kind: 'end', path, digest: '', error: readErrorOf(part.end.error) };
    }
  }

  #onChanges(changes: Parameters<Parameters<HelperConnection['onChanges']>[0]>[0]): void {
    if (changes.root !== undefined && !this.#isSameRoot(changes.root)) return this.#loseRoot(rootGone());
    const entries = new Map<string, Entry | undefined>();
    for (const { path, entry } of changes.changes) {
      if (pathProblem(path) === undefined) entries.set(path, entryFromWire(entry));
    }
    this.#hints.fire({ paths: [...entries.keys()], entries, overflow: changes.overflow });
  }

  #isSameRoot({ device, inode }: { readonly device: bigint; readonly inode: bigint }): boolean {
    return device === this.root.device && inode === this.root.inode;
  }

  /** The helper holds open the folder that it began with: once that is not at its path any more, what it sees is no news of the pair. */
  #requireSameRoot(root: { readonly device: bigint; readonly inode: bigint }): void {
    if (this.#isSameRoot(root)) return;
    const error = rootGone();
    this.#loseRoot(error);
    throw error;
  }

  #identity(root: { readonly device: bigint; readonly inode: bigint }): RootIdentity {
    return { device: root.device, inode: root.inode, container: this.#container };
  }
}

function rootGone(): SlipwayError {
  return new SlipwayError({
    code: 'sync.remote-path-missing',
    message: 'The folder in the container is gone or another one has taken its place',
    cause: 'It was moved, removed or replaced while it was kept in sync.',
    next: 'Nothing was deleted here; put it back, and the sync goes on by itself.',
  });
}

interface Sent {
  readonly change: Change;
  /** The result of this item is the result of the change. */
  readonly final: boolean;
  readonly bytes: number;
}

/** Gathers operations into batches of bounded size and gives each change its one outcome. */
class Batcher {
  readonly #connection: HelperConnection;
  readonly #options: ApplyOptions;
  readonly #settled = new Set<Change>();
  readonly #flying = new Set<Promise<void>>();
  #items: BatchItem[] = [];
  #sent: Sent[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: HelperConnection, options: ApplyOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async add(item: BatchItem, change: Change, final: boolean, bytes: number): Promise<void> {
    this.throwIfFailed();
    const size = item.body?.length ?? 0;
    if (this.#bytes + size > batchBytes || this.#items.length >= batchOperations) await this.#send();
    this.#items.push(item);
    this.#sent.push({ change, final, bytes });
    this.#bytes += size;
  }

  settle(change: Change, outcome: ApplyOutcome): void {
    if (this.#settled.has(change)) return;
    this.#settled.add(change);
    this.#options.onOutcome(change, outcome);
  }

  async finish(): Promise<void> {
    if (this.#failure === undefined) await this.#send();
    while (this.#flying.size > 0) await Promise.all(this.#flying);
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #send(): Promise<void> {
    if (this.#items.length === 0) return;
    const [items, sent] = [this.#items, this.#sent];
    [this.#items, this.#sent, this.#bytes] = [[], [], 0];
    while (this.#flying.size >= batchesInFlight) await Promise.race(this.#flying);
    const flight = this.#connection.apply(items, this.#options.priority).then(
      (results) => this.#take(sent, results),
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#flying.add(flight);
    void flight.finally(() => this.#flying.delete(flight));
  }

  #take(sent: readonly Sent[], results: readonly OperationResult[]): void {
    sent.forEach(({ change, final, bytes }, index) => {
      const result = results[index];
      if (result === undefined)
        return this.settle(change, { kind: 'refused', message: 'The helper did not answer' });
      const staged = result.outcome === OperationResult_Outcome.OUTCOME_STAGED;
      if (staged && !final) return;
      this.settle(change, outcomeOf(change, result, bytes));
    });
  }
}

function outcomeOf(change: Change, result: OperationResult, bytes: number): ApplyOutcome {
  switch (result.outcome) {
    case OperationResult_Outcome.OUTCOME_APPLIED:
      return { kind: 'applied', now: entryFromWire(result.now), inPlace: result.inPlace, bytes };
    case OperationResult_Outcome.OUTCOME_MISMATCH:
      return { kind: 'mismatch', now: entryFromWire(result.now) };
    case OperationResult_Outcome.OUTCOME_FAILED: {
      const [, code = 'EUNKNOWN', words = ''] = /^([A-Z0-9]+):?\s*(.*)$/s.exec(result.error) ?? [];
      const folder = change.kind === 'delete' && change.expected?.kind === 'directory';
      if (folder && (code === 'ENOTEMPTY' || code === 'EEXIST')) return { kind: 'not-empty' };
      return { kind: 'failed', code, message: words === '' ? result.error : `${code}: ${words}` };
    }
    default:
      return {
        kind: 'refused',
        message: result.error === '' ? 'The helper refused the change' : result.error,
      };
  }
}

function operationOf(change: Exclude<Change, { kind: 'put' }>): Operation {
  return { path: change.path, expected: entryToWire(change.expected), action: actionOf(change) };
}

function actionOf(change: Exclude<Change, { kind: 'put' }>): Operation['action'] {
  switch (change.kind) {
    case 'directory':
      return { $case: 'makeDirectory', value: { mode: change.mode } };
    case 'symlink':
      return { $case: 'makeSymlink', value: { target: change.target } };
    case 'chmod':
      return { $case: 'chmod', value: { mode: change.mode } };
    case 'delete':
      return { $case: 'delete', value: {} };
    case 'rename':
      return { $case: 'rename', value: { to: change.to } };
  }
}

function readErrorOf(message: string): {
  readonly kind: 'changing' | 'gone' | 'unreadable';
  readonly message: string;
} {
  if (/chang/i.test(message)) return { kind: 'changing', message };
  if (/ENOENT|vanish|gone|no such/i.test(message)) return { kind: 'gone', message };
  return { kind: 'unreadable', message };
}

/** Absent is undefined here and a kind of its own on the wire. */
export function entryFromWire(wire: WireEntry | undefined): Entry | undefined {
  switch (wire?.kind) {
    case EntryKind.ENTRY_KIND_FILE: {
      const size = Number(wire.size);
      const digest = wire.digest.length === 32 ? Buffer.from(wire.digest).toString('hex') : undefined;
      const { mtimeNs, ctimeNs, inode, links } = wire;
      return { kind: 'file', mode: wire.mode & 0o7777, size, mtimeNs, ctimeNs, inode, links, digest };
    }
    case EntryKind.ENTRY_KIND_DIRECTORY:
      return { kind: 'directory', mode: wire.mode & 0o7777, inode: wire.inode };
    case EntryKind.ENTRY_KIND_SYMLINK:
      return { kind: 'symlink', target: wire.target };
    case EntryKind.ENTRY_KIND_OTHER:
      return { kind: 'other', description: 'A socket, pipe or device' };
    default:
      return undefined;
  }
}

export function entryToWire(entry: Entry | undefined): WireEntry {
  const blank: WireEntry = {
    kind: EntryKind.ENTRY_KIND_UNSPECIFIED,
    mode: 0,
    size: 0n,
    mtimeNs: 0n,
    ctimeNs: 0n,
    inode: 0n,
    digest: Buffer.alloc(0),
    target: '',
    device: 0n,
    links: 0,
  };
  switch (entry?.kind) {
    case 'file': {
      const digest = entry.digest === undefined ? Buffer.alloc(0) : Buffer.from(entry.digest, 'hex');
      const { mode, mtimeNs, ctimeNs, inode, links } = entry;
      return {
        ...blank,
        kind: EntryKind.ENTRY_KIND_FILE,
        mode,
        size: BigInt(entry.size),
        mtimeNs,
        ctimeNs,
        inode,
        links,
        digest,
      };
    }
    case 'directory':
      return { ...blank, kind: EntryKind.ENTRY_KIND_DIRECTORY, mode: entry.mode, inode: entry.inode };
    case 'symlink':
      return { ...blank, kind: EntryKind.ENTRY_KIND_SYMLINK, target: entry.target };
    case 'other':
      return { ...blank, kind: EntryKind.ENTRY_KIND_OTHER };
    case undefined:
      return blank;
  }
}
