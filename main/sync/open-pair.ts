import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { BandwidthLimits, HelperConnection } from '../helper/connection.ts';
import type { Rule } from '../helper/gen/slipway/helper/v1/helper.ts';
import type { AncestorFiles } from './ancestor-files.ts';
import { openAncestor } from './ancestor.ts';
import type { Endpoint } from './endpoint.ts';
import type { SyncEngine } from './engine.ts';
import { createSyncEngine } from './engine.ts';
import { loadConsentList } from './execution-consent.ts';
import { compileLines } from './ignore/explain.ts';
import type { IgnoreDialect } from './ignore/explain.ts';
import { createMatcher } from './ignore/matcher.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';
import { followLinks } from './local-endpoint/follow-links.ts';
import { probeNames } from './local-endpoint/probe-names.ts';
import { openLocalEndpoint } from './local-endpoint/local-endpoint.ts';
import type { PairIdentity } from './pair.ts';
import { pairId } from './pair.ts';
import { describePair } from './pair-description.ts';
import { lockPair } from './pair-lock.ts';
import type { Direction, PairModes } from './pair-settings.ts';
import { folderOf, nameOf, placeOf, type PairPlace } from './pair-place.ts';
import type { BrakeSettings } from './plan-safety.ts';
import { defaultBrake } from './plan-safety.ts';
import { createRemoteEndpoint } from './remote-endpoint.ts';
import { createPairView, type PairView } from './pair-view.ts';
import type { PathRules, PathRulesOptions } from './rules.ts';
import { createPathRules } from './rules.ts';
import type { Strategy } from './strategy.ts';

/** What `connect` needs to attach a helper for this pair. */
export interface PairConnection {
  /** Absolute folder in the container. */
  readonly root: string;
  readonly singleName: string | undefined;
  readonly rules: readonly Rule[];
  readonly epoch: number;
}

export interface OpenPairOptions {
  /** Cluster, namespace, target and so on; `localPath` and `remotePath` as the user means them, absolute. */
  readonly identity: PairIdentity;
  /** The app's own state folder. */
  readonly home: string;
  readonly files: AncestorFiles;
  readonly clock: Clock;
  readonly strategy: Strategy;
  readonly exclude?: readonly string[] | undefined;
  readonly uploadExclude?: readonly string[] | undefined;
  readonly downloadExclude?: readonly string[] | undefined;
  readonly dialect?: IgnoreDialect | undefined;
  /** Both ways unless said otherwise. */
  readonly direction?: Direction | undefined;
  readonly modes?: PairModes | undefined;
  /** Links that point outside and are uploaded as what they lead to, as patterns of git's. */
  readonly followLinks?: readonly string[] | undefined;
  readonly brake?: Partial<BrakeSettings> | undefined;
  readonly pollMs?: number | undefined;
  /** Most bytes a second of contents that this pair sends and fetches. */
  readonly limits?: BandwidthLimits | undefined;
  /** Bytes that the helper keeps of old versions, so that the user is told where that is not enough. */
  readonly remoteTrashCapBytes?: number | undefined;
  /** Attaches a helper. `container` is the pod's UID and the container's id: another one is another root. */
  readonly connect: (
    pair: PairConnection,
    signal: AbortSignal,
  ) => Promise<{ readonly connection: HelperConnection; readonly container: string }>;
  /** Reads an old version that the helper of this pair keeps in the container. */
  readonly readKept?:
    ((pair: string, id: string, limit: number, signal?: AbortSignal) => Promise<Uint8Array>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An open pair: the engine, and the lock that keeps other processes away from it until `stop`. */
export interface OpenPair extends AsyncDisposable {
  readonly id: string;
  /** Folder of the laptop, links resolved; of a single file the one that holds it. */
  readonly folder: string;
  readonly engine: SyncEngine;
  readonly view: PairView;
}

/**
 * Opens a pair with everything that it needs on disk and starts it. Throws `sync.local-path-…`, `sync.pair-in-use`
 * or `sync.rules-invalid` before anything is started.
 */
export async function openPair(options: OpenPairOptions): Promise<OpenPair> {
  const { home, files, clock, identity } = options;
  const place = await placeOf(identity);
  const id = pairId({ ...identity, localPath: place.path });
  const folder = join(home, 'sync', id);
  const lists = compileAll(options, place.localName);
  const lock = await lockPair(files, folder, identity);
  try {
    const trash = new DiskTrash({ folder: join(folder, 'trash'), clock });
    await trash.prune();
    await describePair(files, folder, { ...identity, localPath: place.path, singleName: place.localName });
    const ancestor = await openAncestor(files, folder);
    const sides = await openSides(options, place, lists, trash);
    const engine = createSyncEngine({
      rules: sides.rules,
      strategy: options.strategy,
      keepModes: options.modes === 'keep',
      brake: { ...defaultBrake, ...options.brake },
      local: sides.local,
      connectRemote: async (epoch, signal) => {
        ancestor.setFacts({ epoch });
        await ancestor.flush();
        return sides.connectRemote(epoch, signal);
      },
      firstEpoch: Math.max(Math.floor(clock.now()), ancestor.state.facts.epoch + 1),
      ancestor,
      trash,
      remoteTrashCapBytes: options.remoteTrashCapBytes,
      clock,
      random: Math.random,
      localNames: probeNames(place.folder, process.platform),
      consent: loadConsentList(),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const end = async (): Promise<void> => {
      try {
        await engine.stop();
        await trash.prune();
      } finally {
        await lock[Symbol.asyncDispose]();
      }
    };
    const view = createPairView({
      folder: place.folder,
      singleName: place.localName,
      engine,
      rules: sides.rules,
      trash,
      agreed: ancestor.state.agreed,
      readKept: (kept, limit, signal) => {
        const { readKept } = options;
        if (readKept === undefined) throw new Error('Nobody reads what the container keeps');
        return readKept(pairId(identity), kept, limit, signal);
      },
    });
    return { id, folder: place.folder, engine, view, [Symbol.asyncDispose]: end };
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** Both sides of a pair, the container's not yet connected. */
export interface PairSides {
  readonly rules: PathRules;
  readonly local: Endpoint;
  connectRemote(epoch: number, signal: AbortSignal): Promise<Endpoint>;
}

export async function openSides(
  options: OpenPairOptions,
  place: PairPlace,
  lists: PathRulesOptions,
  trash: DiskTrash,
): Promise<PairSides> {
  const { identity, clock, pollMs } = options;
  const ownRules = createPathRules(lists);
  const single = place.localName !== undefined;
  const root = single ? folderOf(identity.remotePath) : identity.remotePath;
  const singleName = single ? nameOf(identity.remotePath) : undefined;
  const openLocal = (folder: string, own: PathRulesOptions): Promise<Endpoint> =>
    openLocalEndpoint({
      root: folder,
      rules: own,
      trash,
      clock,
      ...(pollMs === undefined ? {} : { pollMs }),
    });
  const approved = createMatcher(compileLines(options.followLinks ?? [], 'git'));
  const local = followLinks({
    root: place.folder,
    main: await openLocal(place.folder, lists),
    clock,
    approved: (path) => approved.excludes(path, false) || approved.excludes(path, true),
    open: (folder, below, singleName) => openLocal(folder, { ...lists, below, singleName }),
  });
  const rules: PathRules = {
    ...ownRules,
    downloadExcluded: (path, isDirectory) =>
      local.covers(path) || ownRules.downloadExcluded(path, isDirectory),
  };
  return {
    rules,
    local,
    async connectRemote(epoch, signal) {
      const pair = { root, singleName, rules: rules.wire, epoch };
      const { connection, container } = await options.connect(pair, signal);
      const names = namesOf(place.localName, singleName);
      return createRemoteEndpoint(connection, { container, names, limits: options.limits });
    },
  };
}

/** Throws `sync.rules-invalid` for a pattern that cannot be used. */
export function compileAll(options: OpenPairOptions, singleName: string | undefined): PathRulesOptions {
  const dialect = options.dialect ?? 'git';
  return {
    exclude: compileLines(options.exclude ?? [], dialect),
    uploadExclude: compileLines(options.uploadExclude ?? [], dialect),
    downloadExclude: compileLines(options.downloadExclude ?? [], dialect),
    direction: options.direction,
    singleName,
  };
}

function namesOf(
  local: string | undefined,
  remote: string | undefined,
): { readonly local: string; readonly remote: string } | undefined {
  return local === undefined || remote === undefined ? undefined : { local, remote };
}
