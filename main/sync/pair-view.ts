import type { Dirent } from 'node:fs';
import { lstatSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { FileState, FileVersion, TreeEntry } from '../../contract/sessions.ts';
import { SlipwayError } from '../base/errors.ts';
import type { SyncEngine } from './engine.ts';
import type { LinkHealth } from '../helper/connection.ts';
import type { KeptVersion } from './endpoint.ts';
import { fileStateOf, worseState, type PathKnowledge } from './file-state.ts';
import { containerVersion, laptopVersion, trashVersion } from './file-versions.ts';
import { RootHandle } from './local-endpoint/beneath-root.ts';
import type { DiskTrash } from './local-endpoint/disk-trash.ts';
import { fetchKept } from './fetch-kept.ts';
import { restoreVersion } from './local-endpoint/restore-version.ts';
import { pathProblem } from './paths.ts';
import type { PathRules } from './rules.ts';
import type { Held } from './sync-event.ts';
import type { TrashedVersion } from './trash.ts';

/** What a window may see and do with a running pair. Paths come from the window and are not trusted. */
export interface PairView {
  readonly held: readonly Held[];
  /** Paths that both sides were last confirmed to be alike at. */
  readonly files: number;
  /** Connects again at once and looks at everything anew. */
  nudge(): void;
  /** One folder of the laptop ('' is the root) in names' order, with what the engine knows about each entry. */
  list(
    folder: string,
    page: { readonly offset: number; readonly limit: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly entries: readonly TreeEntry[]; readonly total: number }>;
  trashed(): Promise<readonly TrashedVersion[]>;
  /** Puts a version back in its place, or below another folder of this machine; resolves with its path there. */
  restore(id: string, to?: string): Promise<string>;
  /** What both sides are known to have at a path. */
  know(path: string): PathKnowledge;
  /** How the connection to the container is; undefined while there is none. */
  link(): LinkHealth | undefined;
  /** What is at a path of one side now, with the beginning of its content. */
  version(side: 'laptop' | 'container', path: string, signal?: AbortSignal): Promise<FileVersion>;
  trashedVersion(version: TrashedVersion, signal?: AbortSignal): Promise<FileVersion>;
  /** Brings one of the container's old versions here: into its place, or below another folder of this machine. */
  bringHere(id: string, to?: string, signal?: AbortSignal): Promise<string>;
  /** What the container keeps of old versions; undefined while it is not connected. */
  containerTrash(): Promise<readonly KeptVersion[] | undefined>;
}

export interface PairViewOptions {
  /** The laptop's folder, links resolved. */
  readonly folder: string;
  /** Set for a pair of two single files: the only name there is. */
  readonly singleName: string | undefined;
  readonly engine: SyncEngine;
  readonly rules: PathRules;
  readonly trash: DiskTrash;
  readonly agreed: { readonly files: number };
  /** Reads the content of an old version that the container keeps, at most so many bytes. */
  readonly readKept?: ((id: string, limit: number, signal?: AbortSignal) => Promise<Uint8Array>) | undefined;
}

/** More names than this of one folder are not looked at. */
const listedNames = 100_000;

export function createPairView(options: PairViewOptions): PairView {
  const { engine, trash, agreed, folder } = options;
  return {
    get held() {
      return engine.held;
    },
    get files() {
      return agreed.files;
    },
    nudge() {
      engine.rescan();
      engine.nudge();
    },
    list: (path, page) => listFolder(options, path, page),
    trashed: () => trash.list(),
    restore: (id, to) => restoreVersion(to ?? folder, trash, id),
    know: (path) => engine.know(path),
    link: () => engine.remote?.health?.(),
    version: (side, path, signal) =>
      side === 'laptop' ? laptopVersion(folder, path, signal) : containerVersion(engine.remote, path, signal),
    trashedVersion: async (version, signal) => {
      const place = trash.placeOf(version.id);
      return place === undefined ? { where: 'trash', kind: 'missing' } : trashVersion(place, version, signal);
    },
    containerTrash: async () => engine.remote?.listTrash?.(),
    bringHere: async (id, to, signal) =>
      restoreVersion(
        to ?? folder,
        trash,
        await fetchKept({ engine, trash, read: options.readKept, id }, signal),
      ),
  };
}

interface Named {
  readonly name: string;
  readonly kind: TreeEntry['kind'];
  readonly missing: boolean;
}

async function listFolder(
  { folder: root, singleName, engine, rules }: PairViewOptions,
  folder: string,
  { offset, limit, signal }: { offset: number; limit: number; signal?: AbortSignal },
): Promise<{ readonly entries: readonly TreeEntry[]; readonly total: number }> {
  const problem = folder === '' ? undefined : pathProblem(folder);
  if (problem !== undefined) throw refused(folder, problem);
  using handle = openRoot(root);
  const prefix = folder === '' ? '' : `${folder}/`;
  const found = new Map<string, Named>();
  for (const path of engine.knownBelow(folder)) {
    const { local, agreed } = engine.know(path);
    const name = path.slice(prefix.length);
    found.set(name, { name, kind: (local ?? agreed)?.kind ?? 'file', missing: true });
  }
  for (const entry of await readNames(handle, folder, signal)) {
    if (singleName === undefined || entry.name === singleName)
      found.set(entry.name, { name: entry.name, kind: kindOf(entry), missing: false });
  }
  const names = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = names.slice(offset, offset + limit);
  const below = statesBelow(engine, prefix, new Set(page.map(({ name }) => name)));
  const entries = page.map((named): TreeEntry => {
    const path = prefix + named.name;
    const isFolder = named.kind === 'directory';
    const excluded = rules.excluded(path, isFolder);
    const known = engine.know(path);
    const own: FileState = excluded ? 'excluded' : fileStateOf(known);
    const reason = excluded ? undefined : known.problem;
    const state = excluded ? own : worseState(own, below.get(named.name) ?? own);
    const size = named.kind === 'file' && !named.missing ? sizeOf(handle, folder, named.name) : undefined;
    return {
      name: named.name,
      kind: named.kind,
      state,
      ...(size === undefined ? {} : { size }),
      ...(reason === undefined ? {} : { reason }),
      ...(named.missing ? { missing: true as const } : {}),
    };
  });
  return { entries, total: names.length };
}

/** The worst of what waits below each of the named folders, in one pass over everything that waits. */
function statesBelow(
  engine: SyncEngine,
  prefix: string,
  names: ReadonlySet<string>,
): ReadonlyMap<string, FileState> {
  const states = new Map<string, FileState>();
  for (const path of engine.unsettled()) {
    if (!path.startsWith(prefix)) continue;
    const slash = path.indexOf('/', prefix.length);
    if (slash < 0) continue;
    const name = path.slice(prefix.length, slash);
    const known = states.get(name);
    if (!names.has(name) || known === 'conflict') continue;
    const state = fileStateOf(engine.know(path));
    states.set(name, known === undefined ? state : worseState(known, state));
  }
  return states;
}

function openRoot(root: string): RootHandle {
  try {
    return new RootHandle(root);
  } catch (error) {
    throw new SlipwayError({
      code: 'sync.local-path-missing',
      message: `The folder ${root} cannot be opened.`,
      cause: 'It was moved, renamed or deleted, or you may not read it.',
      next: 'Put it back in its place; the sync waits for it.',
      origin: error,
    });
  }
}

/** A folder that is gone has no names of its own, only what is known of it. Links are never followed. */
async function readNames(
  handle: RootHandle,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  try {
    const directory = await opendir(handle.folder(folder).at(''), { bufferSize: 1024 });
    for await (const entry of directory) {
      signal?.throwIfAborted();
      entries.push(entry);
      if (entries.length >= listedNames) break;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return entries;
    if (code === 'ENOTDIR' || code === 'ELOOP') throw refused(folder, 'it is a file or a link by now');
    if (code === 'EACCES' || code === 'EPERM') throw refused(folder, 'you may not read it');
    throw error;
  }
  return entries;
}

function kindOf(entry: Dirent): TreeEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

function sizeOf(handle: RootHandle, folder: string, name: string): number | undefined {
  try {
    return lstatSync(handle.folder(folder).at(name), { throwIfNoEntry: false })?.size;
  } catch {
    return undefined;
  }
}

function refused(folder: string, why: string): SlipwayError {
  return new SlipwayError({
    code: 'sync.path-refused',
    message: 'This folder cannot be shown.',
    cause: `${JSON.stringify(folder)}: ${why}.`,
    next: 'Go back to the root of the pair.',
  });
}
