import { SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { BandwidthLimits, HelperConnection, LinkHealth } from '../helper/connection.ts';
import type { Operation } from '../helper/gen/slipway/helper/v1/helper.ts';
import { Batcher } from './batcher.ts';
import type { BlockSignature } from './blocks/block-signature.ts';
import { PatchBases, type PatchBase } from './blocks/patch-bases.ts';
import type { Change } from './change.ts';
import type {
  ApplyOptions,
  Endpoint,
  FilePart,
  Hint,
  Inspection,
  KeptVersion,
  ReadFiles,
  Scan,
} from './endpoint.ts';
import type { Entry, Problem, RootIdentity } from './entry.ts';
import { pathProblem } from './paths.ts';
import { sendFile } from './send-file.ts';
import { entryFromWire, entryToWire, signatureFromWire, signatureToWire } from './wire-entry.ts';

/** Larger files are read one by one, so that one that fails is not read to its end. */
const bigFileBytes = 1024 * 1024;
const checksumsPerRequest = 500;

export interface RemoteEndpointOptions {
  /** Pod UID and container id: a restarted container is another root. */
  readonly container: string;
  /** A pair of two single files: what the file is called here and there. */
  readonly names?: { readonly local: string; readonly remote: string } | undefined;
  readonly limits?: BandwidthLimits | undefined;
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
        listener({
          ...changes,
          changes: own.map((change) => ({ ...change, path: here(change.path) })),
          problems: changes.problems
            .filter(({ path }) => path === remote)
            .map((problem) => ({ ...problem, path: here(problem.path) })),
        });
      }),
    scan: async (options) => {
      const scan = await connection.scan({ ...options, below: [] });
      return {
        ...scan,
        entries: hereMap(scan.entries),
        problems: scan.problems.filter(({ path }) => path === remote),
      };
    },
    get sliceBytes() {
      return connection.sliceBytes;
    },
    limitBandwidth: (limits) => connection.limitBandwidth(limits),
    sign: (path, signal) => connection.sign(there(path), signal),
    async *readContent(paths, more) {
      for await (const part of connection.readContent(paths.map(there), more))
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
    listTrash: async () => {
      const { items, totalBytes } = await connection.listTrash();
      return { items: items.map((item) => ({ ...item, path: here(item.path) })), totalBytes };
    },
    ...(connection.health === undefined ? {} : { health: connection.health.bind(connection) }),
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
  readonly #bases = new PatchBases();
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
    if (options.limits !== undefined) connection.limitBandwidth(options.limits);
    this.read = (paths, readOptions) => this.#read(paths, readOptions);
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

  async listTrash(): Promise<readonly KeptVersion[]> {
    const { items } = await this.#connection.listTrash();
    return items.map(({ id, path, entry, trashedAtNs }) => ({
      id: String(id),
      path,
      entry: entryFromWire(entry),
      size: Number(entry?.size ?? 0n),
      trashedAt: Number(trashedAtNs / 1_000_000n),
    }));
  }

  health(): LinkHealth | undefined {
    return this.#connection.health?.();
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
    const { signal, acceptChanging, priority } = options;
    const batcher = new Batcher(this.#connection, options, this.#bases);
    const isSmall = (change: Change): boolean => change.kind === 'put' && change.source.size <= bigFileBytes;
    const read = (puts: readonly Change[]): AsyncIterator<FilePart> =>
      options
        .read(
          puts.map(({ path }) => path),
          {
            acceptChanging,
            priority,
            signal,
            bases: this.#bases.of(puts, (path) => this.#sign(path, signal)),
          },
        )
        [Symbol.asyncIterator]();
    const small = read(changes.filter(isSmall));
    const send = async (change: Extract<Change, { kind: 'put' }>, content: AsyncIterator<FilePart>) => {
      const staging = `${this.#staging++}`;
      await sendFile({ change, content, batcher, staging, sliceBytes: () => this.#connection.sliceBytes });
    };
    try {
      for (const change of changes) {
        signal?.throwIfAborted();
        if (change.kind !== 'put') await batcher.add({ operation: operationOf(change) }, change, true, 0);
        else if (isSmall(change)) await send(change, small);
        else {
          const content = read([change]);
          try {
            await send(change, content);
          } finally {
            await content.return?.();
          }
        }
      }
    } finally {
      await small.return?.();
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

  async #sign(path: string, signal: AbortSignal | undefined): Promise<BlockSignature | undefined> {
    return signatureFromWire(await this.#connection.sign(path, signal));
  }

  /** Files with a base are asked for one by one, the others between them together. */
  async *#read(paths: readonly string[], options: ReadOptions = {}): AsyncGenerator<FilePart> {
    const { bases } = options;
    for (let start = 0; start < paths.length;) {
      let end = start;
      while (end < paths.length && bases?.has(paths[end] ?? '') !== true) end++;
      if (end > start) yield* this.#readParts(paths.slice(start, end), options, undefined);
      const path = paths[end];
      if (path !== undefined) yield* this.#readParts([path], options, await bases?.get(path)?.());
      start = end + 1;
    }
  }

  async *#readParts(
    paths: readonly string[],
    { priority, signal }: ReadOptions,
    patch: PatchBase | undefined,
  ): AsyncGenerator<FilePart> {
    const base = patch === undefined ? undefined : signatureToWire(patch.signature);
    const known = patch?.source.digest === undefined ? undefined : entryToWire(patch.source);
    const onBase = base !== undefined;
    for await (const part of this.#connection.readContent(paths, { base, known, priority, signal })) {
      const { path, copied } = part;
      if (part.entry !== undefined) {
        const entry = entryFromWire(part.entry);
        if (entry !== undefined) yield { kind: 'begin', path, entry, onBase };
      }
      if (copied !== undefined) yield { kind: 'copy', path, ...copied };
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
    const problems: Problem[] = changes.problems.map(({ path, message }) => ({ path, message }));
    for (const { path, entry } of changes.changes) {
      const problem = pathProblem(path);
      const found = entryFromWire(entry);
      if (problem === undefined || found === undefined) entries.set(path, found);
      else problems.push({ path, message: `Not synced: ${problem}` });
    }
    this.#hints.fire({ paths: [...entries.keys()], entries, problems, overflow: changes.overflow });
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

type ReadOptions = NonNullable<Parameters<ReadFiles>[1]>;

function rootGone(): SlipwayError {
  return new SlipwayError({
    code: 'sync.remote-path-missing',
    message: 'The folder in the container is gone or another one has taken its place',
    cause: 'It was moved, removed or replaced while it was kept in sync.',
    next: 'Nothing was deleted here; put it back, and the sync goes on by itself.',
  });
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
