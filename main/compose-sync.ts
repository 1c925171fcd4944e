import { createHash } from 'node:crypto';
import { posix, resolve } from 'node:path';
import type { PairPaths } from '../contract/session-events.ts';
import type { Clock } from './base/clock.ts';
import { messageOf, SlipwayError } from './base/errors.ts';
import { openPort } from './compose-forward.ts';
import type { ContainerRef, PodSource } from './dev/pod-source.ts';
import type { PairSync, ServiceFactories } from './dev/services.ts';
import { connectHelper } from './helper/attach.ts';
import type { HelperAssets } from './helper/assets.ts';
import { WriteMode } from './helper/gen/slipway/helper/v1/helper.ts';
import { injectHelper, type InjectedHelper } from './helper/inject.ts';
import { removeHelper } from './helper/remove.ts';
import { runCommand } from './helper/run-command.ts';
import type { Kube } from './kube/kube.ts';
import { diskAncestorFiles } from './sync/ancestor-files.ts';
import { openPair, type PairConnection } from './sync/open-pair.ts';
import { pairId, parsePairText, type PairIdentity } from './sync/pair.ts';
import type { Strategy } from './sync/strategy.ts';

export interface SyncRigOptions {
  readonly kube: Kube;
  /** `LOCAL:REMOTE` as the user wrote them. */
  readonly paths: readonly string[];
  readonly workingFolder: string;
  /** What the pairs belong to, so that the next start finds their past: never a pod's own name. */
  readonly target: {
    readonly namespace: string;
    readonly name: string;
    readonly container?: string | undefined;
  };
  readonly strategy: Strategy;
  readonly exclude: readonly string[];
  readonly uploadExclude: readonly string[];
  readonly downloadExclude: readonly string[];
  readonly brake: boolean;
  readonly polling: boolean;
  readonly createPath: boolean;
}

/** Syncs and forwards of one command, and what they put into the container. */
export interface SyncRig {
  readonly pairs: readonly PairPaths[];
  readonly factories: ServiceFactories;
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
const shellLimitBytes = 8 * 1024;

/** Joins helper, sync and forwards for the pairs and ports of one command. Opens nothing yet. */
export function createSyncRig(parts: SyncRigParts, options: SyncRigOptions): SyncRig {
  const identities = options.paths.map((text) => identify(options, text));
  const injections = new Injections(parts, options.kube, helperSession(identities));
  return {
    pairs: identities.map(({ localPath, remotePath }) => ({ local: localPath, remote: remotePath })),
    factories: {
      async openSync(pair, source) {
        const identity = identities.find(
          ({ localPath, remotePath }) => localPath === pair.local && remotePath === pair.remote,
        );
        if (identity === undefined) throw new Error('A pair that is not of this rig');
        return openPairSync({ parts, options, injections, identity, source });
      },
      openForward: (port, source) => openPort(parts.clock, options.kube, port, source),
    },
    cleanUp: (source) => injections.remove(source),
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

interface PairParts {
  readonly parts: SyncRigParts;
  readonly options: SyncRigOptions;
  readonly injections: Injections;
  readonly identity: PairIdentity;
  readonly source: PodSource;
}

async function openPairSync({ parts, options, injections, identity, source }: PairParts): Promise<PairSync> {
  const { clock, home } = parts;
  const { strategy, exclude, uploadExclude, downloadExclude } = options;
  const pair = await openPair({
    identity,
    home,
    files: diskAncestorFiles,
    clock,
    strategy,
    exclude,
    uploadExclude,
    downloadExclude,
    brake: { enabled: options.brake },
    remoteTrashCapBytes: trashCapInContainerBytes,
    connect: (connection, signal) =>
      connect({ parts, options, injections, identity, source }, connection, signal),
  });
  const { engine } = pair;
  const following = source.onChange((ref) => {
    if (ref !== undefined) engine.nudge();
  });
  return {
    onEvent: engine.onEvent,
    inSync: (signal) => engine.inSync(signal),
    resolveHeld: (id, choice) => engine.resolveHeld(id, choice),
    view: pair.view,
    async stop() {
      following[Symbol.dispose]();
      await pair[Symbol.asyncDispose]();
    },
  };
}

/** Attaches a helper for a pair in whichever container is current; waits for one. */
async function connect(
  pair: PairParts,
  { root, singleName, rules, epoch }: PairConnection,
  signal: AbortSignal,
) {
  const { parts, options, injections, identity, source } = pair;
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
      createRoot: options.createPath || singleName !== undefined,
      singleName,
      rules,
      epoch,
      poll: options.polling,
      writeMode: WriteMode.WRITE_MODE_AUTO,
      trashCapBytes: trashCapInContainerBytes,
      signal,
    });
    return { connection, container: `${target.uid}/${target.containerId}` };
  } catch (error) {
    injections.distrust(target);
    throw error;
  }
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
