import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { V1Namespace } from '@kubernetes/client-node';
import { systemClock, type Clock } from './base/clock.ts';
import { isSlipwayError, SlipwayError } from './base/errors.ts';
import { diskStateFiles, type StateFiles } from './base/state-files.ts';
import { createReview } from './kube/access/review.ts';
import { createKube } from './kube/client.ts';
import type { Kube } from './kube/kube.ts';
import { contextNames } from './kube/kubeconfig.ts';
import { loadKubeconfig } from './kube/kubeconfig-load.ts';
import { selectContext } from './kube/kubeconfig-select.ts';
import { viewKubeconfig } from './kube/kubeconfig-view.ts';
import { resourceTypes } from './kube/resource-types.ts';
import { createStreams } from './kube/streams/streams.ts';
import { createSessions, type Sessions } from './session/session.ts';
import { stateHome } from './settings/home.ts';
import { explainIgnore, type IgnoreDialect } from './sync/ignore/explain.ts';

export interface ComposeOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
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

/** What every host builds on: the features, joined. Creating it opens and reads nothing. */
export interface Services {
  readonly clock: Clock;
  readonly home: string;
  readonly stateFiles: StateFiles;
  readonly machine: string;
  contexts(
    choice: ClusterChoice,
  ): Promise<{ readonly items: readonly ContextRow[]; readonly problems: readonly string[] }>;
  viewKubeconfig(
    options: ClusterChoice & { readonly minify: boolean; readonly flatten: boolean; readonly raw: boolean },
  ): Promise<unknown>;
  connect(choice: ClusterChoice): Promise<Kube>;
  /** Rejects with `namespace.not-found` when the cluster says that there is none of that name. */
  assertNamespace(kube: Kube, namespace: string, signal?: AbortSignal): Promise<void>;
  sessions(kube: Kube): Sessions;
  judgeIgnore(options: {
    readonly dialect: IgnoreDialect;
    readonly text: string;
    readonly paths: readonly string[];
  }): readonly { readonly path: string; readonly ignored: boolean }[];
}

export function compose({ environment, platform }: ComposeOptions): Services {
  const clock = systemClock;
  const home = stateHome(environment, platform);
  const stateFiles = diskStateFiles;
  const machine = hostname();
  const load = (choice: ClusterChoice) => loadKubeconfig({ explicitPath: choice.kubeconfig, environment });
  return {
    clock,
    home,
    stateFiles,
    machine,
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
      const selection = selectContext(await load(choice), { context: choice.context });
      return createKube({ selection, environment, clock, streams: createStreams, review: createReview });
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
    sessions: (kube) => createSessions({ kube, stateFiles, home, clock, machine }),
    judgeIgnore: ({ dialect, text, paths }) =>
      paths.map((path) => ({ path, ignored: explainIgnore(text, path, dialect) === 'ignored' })),
  };
}
