import { createHash } from 'node:crypto';
import { posix, resolve } from 'node:path';
import type { PairPaths } from '../contract/session-events.ts';
import type { Clock } from './base/clock.ts';
import { isCancellation, messageOf, SlipwayError } from './base/errors.ts';
import { Emitter } from './base/event.ts';
import { openPort } from './compose-forward.ts';
import { createUploadActions, ProgramStarts, readGlob } from './compose-upload.ts';
import type { ContainerRef, PodSource } from './dev/pod-source.ts';
import type { PairSync, ServiceFactories } from './dev/services.ts';
import type { UploadAction } from './dev/upload-actions.ts';
import { connectHelper } from './helper/attach.ts';
import type { HelperAssets } from './helper/assets.ts';
import { WriteMode } from './helper/gen/slipway/helper/v1/helper.ts';
import { injectHelper, type InjectedHelper } from './helper/inject.ts';
import { removeHelper } from './helper/remove.ts';
import { restartWrapper } from './helper/restart-wrapper.ts';
import { runCommand } from './helper/run-command.ts';
import type { Kube } from './kube/kube.ts';
import { diskAncestorFiles } from './sync/ancestor-files.ts';
import type { DryRun } from './sync/dry-run.ts';
import { openPair, type OpenPairOptions, type PairConnection } from './sync/open-pair.ts';
import { pairId, parsePairText, type PairIdentity } from './sync/pair.ts';
import {
  pairRequest,
  type PairRequest,
  type PairWriteMode,
  type PartialPairRequest,
} from './sync/pair-settings.ts';
import { nestedExcludes } from './sync/pair-overlap.ts';
import type { SyncEvent } from './sync/sync-event.ts';

export interface SyncRigOptions {
  readonly kube: Kube;
  readonly pairs: readonly PartialPairRequest[];
  readonly workingFolder: string;
  /** What the pairs belong to, so that the next start finds their past: never a pod's own name. */
  readonly target: {
    readonly namespace: string;
    readonly name: string;
    readonly container?: string | undefined;
  };
  readonly createPath: boolean;
  /** The container's program waits for the first sync of all pairs. */
  readonly startContainer?: boolean | undefined;
}

/** Syncs and forwards of one command, and what they put into the container. */
export interface SyncRig {
  readonly pairs: readonly PairPaths[];
  /** What has to come before the container's command, where an upload shall restart it or it waits for the first sync. */
  readonly wrapper: readonly string[] | undefined;
  readonly factories: ServiceFactories;
  /** What a sync of a pair would do now; changes nothing on either side. */
  dryRun(pair: PairPaths, source: PodSource, signal: AbortSignal): Promise<DryRun>;
  /** Removes the helper from the container that runs now; resolves with a sentence when the user should know of something. */
  cleanUp(source: PodSource): Promise<string | undefined>;
}

export interface SyncRigParts {
  readonly clock: Clock;
  readonly home: string;
  readonly assets: HelperAssets;
}

/** Old versions that the helper keeps for undo, on the container's own disk. */
const trashCapInContainerBytes = 256 * 1024 * 1024;
const commandMs = 10_000;
/** For an old version of 64 MiB over a slow link. */
const keptMs = 120_000;
const shellLimitBytes = 8 * 1024;
/** How often the laptop's files are looked at where they are polled. */
const laptopPollMs = 1000;

/** One pair of a rig, ready to be opened. */
interface RigPair {
  readonly index: number;
  readonly identity: PairIdentity;
  readonly request: PairRequest;
}

/** Joins helper, sync and forwards for the pairs and ports of one command. Opens nothing yet. */
export function createSyncRig(parts: SyncRigParts, options: SyncRigOptions): SyncRig {
  const { kube } = options;
  const identities = options.pairs.map(({ path }) => identify(options, path));
  const nested = nestedExcludes(identities);
  const pairs = options.pairs.map(pairRequest).map((request, index): RigPair => {
    for (const { onChange } of request.onUpload.exec) for (const glob of onChange) readGlob(glob);
    const exclude = [...request.exclude, ...(nested[index] ?? [])];
    return {
      index,
      identity: identities[index] ?? identify(options, request.path),
      request: { ...request, exclude },
    };
  });
  const session = helperSession(identities);
  const injections = new Injections(parts, kube, session);
  const wrapped =
    options.startContainer === true || pairs.some(({ request }) => request.onUpload.restartContainer);
  const starts = wrapped ? new ProgramStarts(kube, parts.clock, pairs.length) : undefined;
  const pairOf = ({ local, remote }: PairPaths): RigPair => {
    const pair = pairs.find(({ identity }) => identity.localPath === local && identity.remotePath === remote);
    if (pair === undefined) throw new Error('A pair that is not of this rig');
    return pair;
  };
  return {
    pairs: identities.map(({ localPath, remotePath }) => ({ local: localPath, remote: remotePath })),
    wrapper: wrapped ? restartWrapper(session) : undefined,
    factories: {
      async openSync(pair, source) {
        return openPairSync({ parts, options, injections, starts, source, ...pairOf(pair) });
      },
      openForward: (port, source) => openPort(parts.clock, kube, port, source),
    },
    async dryRun(paths, source, signal) {
      const pair = { parts, options, injections, starts, source, ...pairOf(paths) };
      const { dryRun } = await import('./sync/dry-run.ts');
      const connectTo: OpenPairOptions['connect'] = (connection, stop) =>
        connect(pair, connection, stop, { mayCreate: false });
      return dryRun({ ...pairOptions(pair), connect: connectTo }, signal);
    },
    async cleanUp(source) {
      // The program of the container is the helper's child.
      return wrapped ? undefined : injections.remove(source);
    },
  };
}

function identify({ kube, target, workingFolder }: SyncRigOptions, text: string): PairIdentity {
  const { local, remote } = parsePairText(text);
  return {
    cluster: kube.server,
    namespace: target.namespace,
    target: target.name,
    container: target.container ?? '',
    localPath: resolve(workingFolder, local),
    remotePath: remote.startsWith('/') ? posix.normalize(remote) : `./${remote}`,
  };
}

/** Names the helper's folder in the container: the same command finds it again, another one has its own. */
function helperSession(identities: readonly PairIdentity[]): string {
  return createHash('sha256').update(identities.map(pairId).join()).digest('hex').slice(0, 20);
}

/** The helper in the container of now: put there once, shared by the pairs, removed at the end. */
class Injections {
  readonly #parts: SyncRigParts;
  readonly #kube: Kube;
  readonly #session: string;
  #latest: { readonly containerId: string; readonly helper: Promise<InjectedHelper> } | undefined;
  /** The container that a helper was last put into for certain. */
  #lying: string | undefined;

  constructor(parts: SyncRigParts, kube: Kube, session: string) {
    this.#parts = parts;
    this.#kube = kube;
    this.#session = session;
  }

  /** Verified anew for each container, and after anything failed in this one. */
  async ensure(target: ContainerRef, signal: AbortSignal): Promise<InjectedHelper> {
    if (this.#latest?.containerId !== target.containerId) {
      const options = {
        kube: this.#kube,
        target,
        session: this.#session,
        assets: this.#parts.assets,
        signal,
      };
      this.#latest = { containerId: target.containerId, helper: injectHelper(options) };
    }
    const { helper } = this.#latest;
    try {
      const injected = await helper;
      this.#lying = target.containerId;
      return injected;
    } catch (error) {
      if (this.#latest?.helper === helper) this.#latest = undefined;
      throw error;
    }
  }

  /** Something about the helper of this container cannot be relied on any more. */
  distrust(target: ContainerRef): void {
    if (this.#latest?.containerId === target.containerId) this.#latest = undefined;
  }

  /** Of a container that is gone the helper is gone as well; into one that never got it none is put. */
  async remove(source: PodSource): Promise<string | undefined> {
    if (this.#lying === undefined) return undefined;
    try {
      const target = await source.current(AbortSignal.timeout(1_000));
      if (target.containerId !== this.#lying) return undefined;
      const helper = await this.ensure(target, AbortSignal.timeout(commandMs));
      const signal = AbortSignal.timeout(commandMs);
      const { trashFiles } = await removeHelper({ kube: this.#kube, target, helper, signal });
      this.#latest = this.#lying = undefined;
      return trashFiles === 0
        ? undefined
        : `${trashFiles === 1 ? 'An old version of a file' : `${trashFiles} old versions of files`} in the container went with the helper.`;
    } catch (error) {
      return `The helper's folder could not be removed from the container: ${messageOf(error) ?? ''}`;
    }
  }
}

interface PairParts extends RigPair {
  readonly parts: SyncRigParts;
  readonly options: SyncRigOptions;
  readonly injections: Injections;
  readonly starts: ProgramStarts | undefined;
  readonly source: PodSource;
}

/** What the settings of a pair are to the sync itself. */
function pairOptions({
  parts,
  request,
  identity,
}: RigPair & Pick<PairParts, 'parts'>): Omit<OpenPairOptions, 'connect'> {
  const { clock, home } = parts;
  return {
    identity,
    home,
    files: diskAncestorFiles,
    clock,
    strategy: request.strategy,
    direction: request.direction,
    exclude: request.exclude,
    uploadExclude: request.uploadExclude,
    downloadExclude: request.downloadExclude,
    dialect: request.dialect,
    modes: request.modes,
    limits: request.limits,
    followLinks: request.followLinks,
    brake: { enabled: request.brake },
    pollMs: request.polling.laptop ? laptopPollMs : undefined,
    remoteTrashCapBytes: trashCapInContainerBytes,
  };
}

async function openPairSync(pairParts: PairParts): Promise<PairSync> {
  const { parts, options, injections, starts, index, request, source } = pairParts;
  const pair = await openPair({
    ...pairOptions(pairParts),
    connect: (connection, signal) => connect(pairParts, connection, signal),
    readKept: (id, kept, limit, signal) => readKept(pairParts, { pair: id, kept, limit }, signal),
  });
  const { engine } = pair;
  const events = new Emitter<SyncEvent>();
  const actionEvents = new Emitter<UploadAction>();
  const ending = new AbortController();
  let beginning: Promise<void> = Promise.resolve();
  let uploadedAt = Number.NEGATIVE_INFINITY;
  const fail = (reason: Error): void => events.fire({ kind: 'state', state: { kind: 'failed', reason } });
  const reach = async (signal: AbortSignal) => {
    const target = await source.current(signal);
    return { target, helper: await injections.ensure(target, signal) };
  };
  const actions = createUploadActions({
    kube: options.kube,
    clock: parts.clock,
    onUpload: request.onUpload,
    folder: pair.folder,
    reach,
    needsRestart: async () => {
      await beginning;
      return starts?.hasBegunBefore(uploadedAt) === true;
    },
    tell: (action) => actionEvents.fire(action),
    fail,
  });
  const begin = async (): Promise<void> => {
    if (starts === undefined) return;
    try {
      const { containerId } = await source.current(ending.signal);
      await starts.arrived(index, containerId, reach, ending.signal);
    } catch (error) {
      if (!isCancellation(error)) fail(error instanceof Error ? error : new Error(messageOf(error)));
    }
  };
  const listening = engine.onEvent((event) => {
    events.fire(event);
    if (event.kind === 'file' && event.direction === 'up') {
      uploadedAt = parts.clock.monotonic();
      actions.uploaded(event.path, ...(event.to === undefined ? [] : [event.to]));
    }
    if (event.kind !== 'state' || event.state.kind !== 'in-sync') return;
    beginning = begin();
    actions.atRest();
  });
  const first = engine.inSync().then(() => actions.idle());
  first.catch(() => undefined);
  if (request.noWatch) void first.then(() => engine.stop()).catch(() => undefined);
  const following = source.onChange((ref) => {
    if (ref !== undefined) engine.nudge();
  });
  return {
    onEvent: events.event,
    onAction: actionEvents.event,
    inSync: (signal) => (request.waitInitialSync ? raced(first, signal) : Promise.resolve()),
    resolveHeld: (id, choice) => engine.resolveHeld(id, choice),
    view: pair.view,
    async stop() {
      following[Symbol.dispose]();
      ending.abort(new DOMException('The session ended', 'AbortError'));
      await actions[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
      listening[Symbol.dispose]();
    },
  };
}

/** The work, or the reason of a signal that aborts before it. */
function raced(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    return undefined;
  });
}

const writeModes: Readonly<Record<PairWriteMode, WriteMode>> = {
  auto: WriteMode.WRITE_MODE_AUTO,
  inPlace: WriteMode.WRITE_MODE_IN_PLACE,
};

/** Attaches a helper for a pair in whichever container is current; waits for one. */
async function connect(
  { parts, options, injections, identity, request, source }: PairParts,
  { root, singleName, rules, epoch }: PairConnection,
  signal: AbortSignal,
  { mayCreate }: { readonly mayCreate: boolean } = { mayCreate: true },
) {
  const { kube } = options;
  const target = await source.current(signal);
  const helper = await injections.ensure(target, signal);
  try {
    const connection = await connectHelper({
      kube,
      target,
      clock: parts.clock,
      helperPath: helper.path,
      pair: pairId(identity),
      root: root.startsWith('/') ? root : posix.join(await workingDirectory(kube, target, signal), root),
      createRoot: mayCreate && (options.createPath || singleName !== undefined),
      singleName,
      rules,
      epoch,
      poll: request.polling.container,
      writeMode: writeModes[request.writeMode],
      trashCapBytes: trashCapInContainerBytes,
      signal,
    });
    return { connection, container: `${target.uid}/${target.containerId}` };
  } catch (error) {
    injections.distrust(target);
    throw error;
  }
}

/** The content of an old version in the helper's folder: a file that is named by a number. */
async function readKept(
  { options, injections, source }: PairParts,
  { pair, kept, limit }: { readonly pair: string; readonly kept: string; readonly limit: number },
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { kube } = options;
  const ending = AbortSignal.any([AbortSignal.timeout(keptMs), ...(signal === undefined ? [] : [signal])]);
  const target = await source.current(ending);
  const { folder } = await injections.ensure(target, ending);
  const command = ['cat', posix.join(folder, `trash-${pair}`, kept)];
  const { output, status, diagnostics } = await runCommand({
    kube,
    target,
    command,
    limit: limit + 1,
    timeoutMs: keptMs,
    signal: ending,
  });
  if (status?.kind === 'exited' && status.code === 0) return output;
  throw new SlipwayError({
    code: 'sync.path-refused',
    message: 'The version in the container cannot be read.',
    cause: diagnostics.trim() || 'The container has no program that reads files for others (cat).',
    next: 'Nothing was changed. It is in the container until Stop.',
  });
}

/** Where the container's processes start, which relative paths are meant from; only the container knows it for sure. */
async function workingDirectory(kube: Kube, target: ContainerRef, signal: AbortSignal): Promise<string> {
  const { output } = await runCommand({
    kube,
    target,
    command: ['sh', '-c', 'pwd'],
    limit: shellLimitBytes,
    timeoutMs: commandMs,
    signal,
  });
  const path = output.toString('utf8').trimEnd();
  if (path.startsWith('/')) return path;
  throw new SlipwayError({
    code: 'sync.remote-path-missing',
    message: 'The working directory of the container is not known.',
    cause: 'Its shell did not name it.',
    next: 'Write the path in the container from the root, like ./src:/app.',
  });
}
