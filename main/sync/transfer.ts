import type { Change, FileEntry, Side } from './change.ts';
import type { ApplyOutcome, Endpoint, FilePart, ReadFiles } from './endpoint.ts';
import { messageOf } from '../base/errors.ts';
import type { Trash } from './trash.ts';

/** More puts than this in one plan are bulk: an edit made meanwhile overtakes them. */
const bulkPutCount = 256;
const bigFileBytes = 1024 * 1024;

export interface TransferOptions {
  readonly side: Side;
  readonly source: Endpoint;
  readonly target: Endpoint;
  readonly trash: Trash;
  readonly changes: readonly Change[];
  readonly acceptChanging: ReadonlySet<string>;
  /** `sent` is the file as it was read, with the digest of what was read. */
  readonly onOutcome: (change: Change, outcome: ApplyOutcome, sent: FileEntry | undefined) => void;
  readonly signal: AbortSignal;
}

/**
 * Carries out one side's plan: saves what the laptop has to keep, applies small things at once and big ones behind
 * them. Each change gets exactly one outcome unless the endpoint is lost, which rejects.
 */
export async function transfer(options: TransferOptions): Promise<void> {
  const { changes, side } = options;
  const victims = changes.filter((change) => change.keep === 'laptop' && replacesFile(change));
  const kept = side === 'remote' && victims.length > 0 ? await saveVictims(options, victims) : undefined;
  const allowed = kept === undefined ? changes : changes.filter((change) => !kept.failed.has(change.path));
  for (const change of changes) {
    const message = kept?.failed.get(change.path);
    if (message !== undefined)
      options.onOutcome(change, { kind: 'failed', code: 'EKEEP', message }, undefined);
  }
  const puts = allowed.filter((change) => change.kind === 'put');
  const isBig = (change: Change): boolean => change.kind === 'put' && change.source.size > bigFileBytes;
  const isLate = (change: Change): boolean =>
    change.kind === 'chmod' && change.expected?.kind === 'directory';
  const small = allowed.filter((change) => !isBig(change) && !isLate(change));
  const big = allowed.filter(isBig);
  const late = allowed.filter(isLate);
  await stage(options, small, puts.length - big.length > bulkPutCount ? 'bulk' : 'interactive');
  await stage(options, big, 'bulk');
  await stage(options, late, 'interactive');
}

async function stage(
  options: TransferOptions,
  changes: readonly Change[],
  priority: 'interactive' | 'bulk',
): Promise<void> {
  if (changes.length === 0) return;
  const sent = new Map<string, FileEntry>();
  await options.target.apply(changes, {
    read: observed(options.source.read, sent),
    acceptChanging: options.acceptChanging,
    priority,
    onOutcome: (change, outcome) => options.onOutcome(change, outcome, sent.get(change.path)),
    signal: options.signal,
  });
}

/** Passes content through and remembers what each file was and which digest it had. */
function observed(read: ReadFiles, sent: Map<string, FileEntry>): ReadFiles {
  const note = (result: IteratorResult<FilePart>): IteratorResult<FilePart> => {
    if (result.done === true) return result;
    const part = result.value;
    if (part.kind === 'begin' && part.entry.kind === 'file')
      sent.set(part.path, { ...part.entry, digest: undefined });
    if (part.kind === 'end' && part.error === undefined) {
      const entry = sent.get(part.path);
      if (entry !== undefined) sent.set(part.path, { ...entry, digest: part.digest });
    }
    return result;
  };
  return (paths, options) => ({
    [Symbol.asyncIterator]() {
      const parts = read(paths, options)[Symbol.asyncIterator]();
      return {
        next: () => parts.next().then(note),
        return: () => parts.return?.() ?? Promise.resolve({ done: true, value: undefined }),
      };
    },
  });
}

function replacesFile(change: Change): boolean {
  return (change.kind === 'put' || change.kind === 'delete') && change.expected?.kind === 'file';
}

/** Fetches what the container is about to lose into the laptop's trash; what cannot be fetched is not replaced. */
async function saveVictims(
  { target, trash, signal }: TransferOptions,
  victims: readonly Change[],
): Promise<{ readonly failed: ReadonlyMap<string, string> }> {
  const failed = new Map<string, string>();
  const byPath = new Map(victims.map((change) => [change.path, change]));
  const parts = target.read([...byPath.keys()], { signal })[Symbol.asyncIterator]();
  for (;;) {
    const next = await parts.next();
    if (next.done === true) break;
    const part = next.value;
    const change = byPath.get(part.path);
    if (change === undefined) continue;
    byPath.delete(part.path);
    if (part.kind !== 'begin' || part.entry.kind !== 'file') {
      if (part.kind === 'end' && part.error?.kind !== 'gone')
        failed.set(part.path, part.error?.message ?? 'not a file');
      continue;
    }
    const stream = contentOf(part.path, parts);
    try {
      await trash.store(
        part.path,
        part.entry,
        stream.content,
        change.why === 'first-sync' ? 'first-sync' : 'conflict',
      );
      await stream.drain();
      const error = stream.error();
      if (error !== undefined) failed.set(part.path, `Its old content could not be saved: ${error}`);
    } catch (error) {
      signal.throwIfAborted();
      failed.set(part.path, `Its old content could not be saved: ${messageOf(error) ?? ''}`);
      await stream.drain();
    }
  }
  return { failed };
}

/** The data of one file out of a stream of several; `drain` goes to its end whatever was taken. */
function contentOf(
  path: string,
  parts: AsyncIterator<FilePart>,
): {
  readonly content: AsyncIterable<Uint8Array>;
  readonly drain: () => Promise<void>;
  readonly error: () => string | undefined;
} {
  let ended = false;
  let error: string | undefined;
  const step = async (): Promise<Uint8Array | undefined> => {
    while (!ended) {
      const next = await parts.next();
      if (next.done === true) {
        ended = true;
        error = 'it ended early';
      } else if (next.value.kind === 'end' && next.value.path === path) {
        ended = true;
        error = next.value.error?.message;
      } else if (next.value.kind === 'data') return next.value.data;
    }
    return undefined;
  };
  return {
    content: {
      async *[Symbol.asyncIterator]() {
        for (let data = await step(); data !== undefined; data = await step()) yield data;
        if (error !== undefined) throw new Error(error);
      },
    },
    async drain() {
      while ((await step()) !== undefined);
    },
    error: () => error,
  };
}
