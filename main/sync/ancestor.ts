import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { AncestorFiles } from './ancestor-files.ts';
import type { AncestorRecord, PairFacts } from './ancestor-format.ts';
import { decodeFile, encodeChunk, encodeHeader } from './ancestor-format.ts';
import type { Difference } from './decide.ts';
import type { Entry } from './entry.ts';
import { Tree } from './tree.ts';

export type { PairFacts } from './ancestor-format.ts';

/** Everything that a pair remembers from one start to the next. */
export interface AncestorState {
  /** What both sides were last confirmed to agree on, as the laptop has it. */
  readonly agreed: Tree;
  /** The same paths as the container has them: digests hold while the file there was not touched. */
  readonly agreedRemote: Map<string, Entry>;
  /** What the container's root held when it was first seen. */
  readonly seed: Tree;
  readonly differences: Map<string, Difference>;
  facts: PairFacts;
}

/**
 * Keeps a pair's ancestor on disk: a snapshot, and a journal of what changed since. Both are checksummed; a damaged
 * snapshot means "no ancestor" and a torn journal ends earlier, which both are safe: a thing not remembered is
 * compared, never deleted.
 */
export interface AncestorStore {
  readonly state: AncestorState;
  agree(path: string, local: Entry | undefined, remote: Entry | undefined): void;
  differ(path: string, difference: Difference | undefined): void;
  replaceSeed(entries: Iterable<readonly [string, Entry]>): void;
  /** Adds a digest to one entry of the seed. */
  learnSeed(path: string, entry: Entry): void;
  setFacts(facts: Partial<PairFacts>): void;
  /** Writes what changed since the last call. */
  flush(): Promise<void>;
  /** Writes a fresh snapshot and drops the journal. */
  compact(): Promise<void>;
}

/** A journal larger than this, and than half of the snapshot, is folded into a new snapshot. */
const journalLimitBytes = 4 * 1024 * 1024;

const noFacts: PairFacts = {
  initialDone: false,
  rulesHash: '',
  localRoot: undefined,
  remoteRoot: undefined,
  approved: [],
  epoch: 0,
};

function emptyState(): AncestorState {
  return {
    agreed: new Tree(),
    agreedRemote: new Map(),
    seed: new Tree(),
    differences: new Map(),
    facts: noFacts,
  };
}

/** Opens the ancestor in `folder`, which need not exist. */
export async function openAncestor(files: AncestorFiles, folder: string): Promise<AncestorStore> {
  const snapshotPath = join(folder, 'ancestor');
  const journalPath = join(folder, 'journal');
  const loaded = await load(files, snapshotPath, journalPath);
  const { state } = loaded;
  let { generation, snapshotBytes, journalBytes } = loaded;
  let pending: AncestorRecord[] = [];
  let rewrites = false;
  let writing: Promise<void> = Promise.resolve();

  const compactNow = async (): Promise<void> => {
    pending = [];
    rewrites = false;
    // Drawn, not counted: after a lost snapshot an old journal must not seem to belong to the new one.
    const next = randomInt(1, 2 ** 32);
    const content = Buffer.concat([encodeHeader(next), encodeChunk(recordsOf(state))]);
    await files.write(snapshotPath, content);
    await files.remove(journalPath);
    generation = next;
    snapshotBytes = content.length;
    journalBytes = 0;
  };
  const changesNow = async (): Promise<void> => {
    if (pending.length === 0 && !rewrites) return;
    const tooLarge = journalBytes > journalLimitBytes && journalBytes > snapshotBytes / 2;
    if (rewrites || tooLarge || snapshotBytes === 0) return compactNow();
    const chunk = encodeChunk(pending);
    pending = [];
    const content = journalBytes === 0 ? Buffer.concat([encodeHeader(generation), chunk]) : chunk;
    journalBytes += content.length;
    await files.append(journalPath, content);
  };
  /** After a failure the files hold less than is known, or a torn end: the next flush writes everything anew. */
  const whole = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      rewrites = true;
      throw error;
    }
  };
  const enqueue = (action: () => Promise<void>): Promise<void> => {
    const next = (): Promise<void> => whole(action);
    writing = writing.then(next, next);
    return writing;
  };

  return {
    state,
    agree(path, local, remote) {
      apply(state, { kind: 'agreed', path, local, remote });
      pending.push({ kind: 'agreed', path, local, remote });
    },
    differ(path, difference) {
      if (difference === undefined && !state.differences.has(path)) return;
      const record: AncestorRecord =
        difference === undefined
          ? { kind: 'difference-gone', path }
          : { kind: 'difference', path, ...difference };
      apply(state, record);
      pending.push(record);
    },
    replaceSeed(entries) {
      state.seed.clear();
      for (const [path, entry] of entries) state.seed.set(path, entry);
      rewrites = true;
    },
    learnSeed(path, entry) {
      apply(state, { kind: 'seed', path, entry });
      pending.push({ kind: 'seed', path, entry });
    },
    setFacts(facts) {
      state.facts = { ...state.facts, ...facts };
      pending.push({ kind: 'facts', facts: state.facts });
    },
    flush: () => enqueue(changesNow),
    compact: () => enqueue(compactNow),
  };
}

interface Loaded {
  readonly state: AncestorState;
  readonly generation: number;
  readonly snapshotBytes: number;
  readonly journalBytes: number;
}

async function load(files: AncestorFiles, snapshotPath: string, journalPath: string): Promise<Loaded> {
  const snapshot = await files.read(snapshotPath);
  const state = emptyState();
  const decoded = snapshot === undefined ? undefined : decodeSafely(snapshot, state);
  if (snapshot === undefined || decoded?.whole !== true) {
    return { state: emptyState(), generation: decoded?.generation ?? 0, snapshotBytes: 0, journalBytes: 0 };
  }
  const { generation } = decoded;
  const journal = await files.read(journalPath);
  const current = journal !== undefined && journal.length >= 12 && journal.readUInt32BE(8) === generation;
  const replayed = current ? decodeSafely(journal, state) : undefined;
  // A torn end would hide what is appended after it, so such a journal counts as full.
  const journalBytes =
    replayed?.whole === true ? (journal?.length ?? 0) : journal === undefined ? 0 : Number.MAX_SAFE_INTEGER;
  return { state, generation, snapshotBytes: snapshot.length, journalBytes };
}

function decodeSafely(content: Buffer, state: AncestorState): ReturnType<typeof decodeFile> {
  try {
    return decodeFile(content, (record) => apply(state, record));
  } catch {
    return undefined;
  }
}

function apply(state: AncestorState, record: AncestorRecord): void {
  switch (record.kind) {
    case 'agreed':
      state.agreed.set(record.path, record.local);
      if (record.remote === undefined) state.agreedRemote.delete(record.path);
      else state.agreedRemote.set(record.path, record.remote);
      break;
    case 'difference':
      state.differences.set(record.path, { local: record.local, remote: record.remote });
      break;
    case 'difference-gone':
      state.differences.delete(record.path);
      break;
    case 'seed':
      state.seed.set(record.path, record.entry);
      break;
    case 'facts':
      state.facts = { ...noFacts, ...record.facts };
      break;
  }
}

function* recordsOf(state: AncestorState): Generator<AncestorRecord> {
  yield { kind: 'facts', facts: state.facts };
  for (const [path, local] of state.agreed.entries()) {
    yield { kind: 'agreed', path, local, remote: state.agreedRemote.get(path) };
  }
  for (const [path, { local, remote }] of state.differences)
    yield { kind: 'difference', path, local, remote };
  for (const [path, entry] of state.seed.entries()) yield { kind: 'seed', path, entry };
}
