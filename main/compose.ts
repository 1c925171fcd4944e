import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { V1Namespace } from '@kubernetes/client-node';
import { systemClock, type Clock } from './base/clock.ts';
import { isSlipwayError, SlipwayError } from './base/errors.ts';
import { createProcessMarks, type ProcessMarks } from './base/process-marks.ts';
import { diskStateFiles, type StateFiles } from './base/state-files.ts';
import { missingRights, preflight, type ChannelRights } from './kube/access/preflight.ts';
import { followLogs } from './channels/logs.ts';
import { enter, type TerminalOptions } from './channels/terminal.ts';
import type { SyncRig, SyncRigOptions } from './compose-sync.ts';
import type { ServiceFactories } from './dev/services.ts';
import { folderAssets } from './helper/assets.ts';
import { createReview } from './kube/access/review.ts';
import type { Channel, TargetKind } from './kube/access/rights.ts';
import { createKube } from './kube/client.ts';
import type { PluginInteraction } from './kube/exec-plugin.ts';
import { assertGuardAllows } from './kube/guard-decision.ts';
import { guardKube } from './kube/guarded.ts';
import type { ExecStatus, Kube } from './kube/kube.ts';
import { contextNames } from './kube/kubeconfig.ts';
import { loadKubeconfig } from './kube/kubeconfig-load.ts';
import { selectContext, type Selection } from './kube/kubeconfig-select.ts';
import { viewKubeconfig } from './kube/kubeconfig-view.ts';
import { resourceTypes } from './kube/resource-types.ts';
import { createStreams } from './kube/streams/streams.ts';
import type { MissingRight } from './session/plan.ts';
import { createSessions, type Sessions } from './session/session.ts';
import { stateHome } from './settings/home.ts';
import type { IgnoreDialect } from './sync/ignore/explain.ts';

const builtHelper = fileURLToPath(new URL('../assets/helper', import.meta.url));

export interface ComposeOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** A person whom sign-in plugins may ask; undefined when there is none. */
  readonly interaction?: PluginInteraction | undefined;
  /** Where the helpers for containers are; beside the sources unless the app is packed. */
  readonly helperFolder?: string | undefined;
}

/** Which kubeconfig and which of its contexts; undefined means what kubectl would take. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface ContextRow {
  readonly name: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string | undefined;
  readonly current: boolean;
}

export interface PreflightChoice {
  readonly namespace: string;
  /** A Deployment unless said otherwise. */
  readonly kind?: TargetKind | undefined;
  readonly name: string;
  readonly channels?: readonly Channel[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with what was typed, undefined when nobody can be asked. */
export type AskConfirmation = (wanted: {
  readonly context: string;
  readonly expected: string;
}) => Promise<string | undefined>;

/** What every host builds on: the features, joined. Creating it opens and reads nothing. */
export interface Services {
  readonly clock: Clock;
  readonly home: string;
  readonly stateFiles: StateFiles;
  readonly machine: string;
  readonly processes: ProcessMarks;
  contexts(
    choice: ClusterChoice,
  ): Promise<{ readonly items: readonly ContextRow[]; readonly problems: readonly string[] }>;
  viewKubeconfig(
    options: ClusterChoice & { readonly minify: boolean; readonly flatten: boolean; readonly raw: boolean },
  ): Promise<unknown>;
  /** Connects behind the guard of the context: where there is one, nothing can be changed by this Kube. */
  connect(choice: ClusterChoice): Promise<Kube>;
  /**
   * Connects for an action that changes something. `confirm` is asked for the word that the guard wants typed, if it
   * wants one. Rejects `cluster.read-only`, `cluster.confirmation-needed`, or `settings.invalid` when the guard
   * cannot be known.
   */
  connectToChange(choice: ClusterChoice, confirm: AskConfirmation): Promise<Kube>;
  /** Rejects with `namespace.not-found` when the cluster says that there is none of that name. */
  assertNamespace(kube: Kube, namespace: string, signal?: AbortSignal): Promise<void>;
  /** What each channel needs and whether this user may; all channels unless some are named. */
  preflight(kube: Kube, options: PreflightChoice): Promise<readonly ChannelRights[]>;
  /** Rights that a session needs and this user does not have. */
  missingRights(kube: Kube, options: PreflightChoice): Promise<readonly MissingRight[]>;
  sessions(kube: Kube): Sessions;
  /** Loads the helper's part only now: most commands never need it. */
  syncRig(options: SyncRigOptions): Promise<SyncRig>;
  /** Opens ports of this machine that lead to ports of a container. */
  forwards(kube: Kube): ServiceFactories['openForward'];
  enter(options: TerminalOptions): Promise<ExecStatus>;
  followLogs: typeof followLogs;
  version(): Promise<{ readonly version: string; readonly helper: string }>;
  judgeIgnore(options: {
    readonly dialect: IgnoreDialect;
    readonly text: string;
    readonly paths: readonly string[];
  }): Promise<readonly { readonly path: string; readonly ignored: boolean }[]>;
}

export function compose({
  environment,
  platform,
  interaction,
  helperFolder = builtHelper,
}: ComposeOptions): Services {
  const clock = systemClock;
  const home = stateHome(environment, platform);
  const stateFiles = diskStateFiles;
  const machine = hostname();
  const processes = createProcessMarks();
  const load = (choice: ClusterChoice) => loadKubeconfig({ explicitPath: choice.kubeconfig, environment });
  const openKube = (selection: Selection): Kube =>
    createKube({
      selection,
      environment,
      clock,
      interaction,
      streams: createStreams,
      review: createReview,
    });
  const selectGuarded = async (choice: ClusterChoice) => {
    const config = await load(choice);
    const selection = selectContext(config, { context: choice.context });
    const { readGuard } = await import('./compose-guard.ts');
    const chosen = await readGuard({ home, files: stateFiles, config, context: selection.contextName });
    return { selection, chosen };
  };
  const askRights = async (kube: Kube, { namespace, kind, name, channels, signal }: PreflightChoice) =>
    preflight(kube, {
      namespace,
      targetKind: kind ?? 'Deployment',
      targetName: name,
      serverVersion: await kube.version({ signal }),
      channels,
      signal,
    });
  return {
    clock,
    home,
    stateFiles,
    machine,
    processes,
    async contexts(choice) {
      const config = await load(choice);
      const items = contextNames(config).map((name) => {
        const context = config.contexts.get(name)?.value;
        return {
          name,
          cluster: context?.cluster ?? '',
          user: context?.user ?? '',
          namespace: context?.namespace,
          current: name === config.currentContext,
        };
      });
      return { items, problems: config.problems.map((problem) => `${problem.file}: ${problem.message}`) };
    },
    async viewKubeconfig({ minify, flatten, raw, ...choice }) {
      return viewKubeconfig(await load(choice), { minify, flatten, raw, context: choice.context, readFile });
    },
    async connect(choice) {
      const { selection, chosen } = await selectGuarded(choice);
      return guardKube(openKube(selection), { ...chosen, guard: () => chosen.guard });
    },
    async connectToChange(choice, confirm) {
      const { selection, chosen } = await selectGuarded(choice);
      const { guard, context, unknown } = chosen;
      if (unknown !== undefined) throw unknown;
      // Whoever works in the wrong cluster is stopped by its name.
      const expected = context;
      const typed = guard === 'confirm' ? await confirm({ context, expected }) : undefined;
      assertGuardAllows(guard, chosen, { expected, typed });
      return openKube(selection);
    },
    async assertNamespace(kube, namespace, signal) {
      try {
        await kube.get<V1Namespace>(resourceTypes.namespace, { name: namespace }, { signal });
      } catch (error) {
        // Who may not read namespaces cannot be told apart from who may: the next call will say.
        if (isSlipwayError(error, 'cluster.forbidden')) return;
        if (!isSlipwayError(error, 'cluster.not-found')) throw error;
        throw new SlipwayError({
          code: 'namespace.not-found',
          message: `There is no namespace ${namespace} in ${kube.contextName}.`,
          cause: error.causeText,
          next: 'See "slipway list namespaces", or check the context with --kube-context.',
          origin: error,
        });
      }
    },
    preflight: askRights,
    async missingRights(kube, choice) {
      return missingRights(await askRights(kube, choice)).map((right) => ({
        ...right,
        reason: right.answer.kind === 'denied' ? right.answer.reason : undefined,
      }));
    },
    sessions: (kube) => createSessions({ kube, stateFiles, home, clock, machine, processes }),
    async syncRig(options) {
      const { createSyncRig } = await import('./compose-sync.ts');
      return createSyncRig({ clock, home, assets: folderAssets(helperFolder) }, options);
    },
    forwards: (kube) => async (port, source) => {
      const { openPort } = await import('./compose-forward.ts');
      return openPort(clock, kube, port, source);
    },
    enter,
    followLogs,
    async version() {
      const read = async (path: string | URL): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
      const { version } = (await read(new URL('../package.json', import.meta.url))) as { version: string };
      const { build } = (await read(join(helperFolder, 'manifest.json'))) as { build: string };
      return { version, helper: build };
    },
    async judgeIgnore({ dialect, text, paths }) {
      const { explainIgnore } = await import('./sync/ignore/explain.ts');
      return paths.map((path) => ({ path, ignored: explainIgnore(text, path, dialect) === 'ignored' }));
    },
  };
}
