import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAppHandlers, type HostAbilities } from './app/app-handlers.ts';
import { createSandbox } from './app/sandbox.ts';
import type { Clock } from './base/clock.ts';
import { DisposableStore } from './base/dispose.ts';
import { createClustersHandlers } from './clusters/clusters-handlers.ts';
import { createClusters, type OpenClusters } from './clusters/create-clusters.ts';
import type { Services } from './compose.ts';
import { composeDoctor } from './compose-doctor.ts';
import { composeSessionContainers } from './compose-session-containers.ts';
import { composeTerminals } from './compose-terminals.ts';
import { composeWorkloads } from './compose-workloads.ts';
import { ConnectedClusters } from './connected-clusters.ts';
import { LiveSessions } from './dev/live-sessions.ts';
import { createSessionsHandlers } from './dev/sessions-handlers.ts';
import { createDispatcher, type Dispatcher } from './ipc/dispatcher.ts';
import type { Handlers, HandlersOf } from './ipc/handlers.ts';
import { createReview } from './kube/access/review.ts';
import { createKube } from './kube/client.ts';
import { kubeconfigPaths } from './kube/kubeconfig-load.ts';
import { createStreams } from './kube/streams/streams.ts';
import { createLeftoversHandlers } from './leftovers/handlers.ts';
import { leaseName } from './session/names.ts';
import { whyReplicasStay } from './session/restore-replicas.ts';
import { createSettingsHandlers } from './settings/settings-handlers.ts';
import { openSettings, type SettingsStore } from './settings/settings-store.ts';
import { createQuestions } from './tasks/questions.ts';
import { createTasksHandlers } from './tasks/tasks-handlers.ts';
import { createTasks } from './tasks/tasks.ts';
import { createWelcomeHandlers } from './welcome/welcome-handlers.ts';
import { createWorkloadsHandlers } from './workloads/handlers.ts';
import { PlanStore } from './workloads/plan-store.ts';

const sampleFolder = fileURLToPath(new URL('../examples/web', import.meta.url));
/** As many as the settings take. */
const maximumRecentFolders = 20;

export interface WindowOptions {
  readonly services: Services;
  readonly abilities: HostAbilities;
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Of the shell that copied commands are run in, where it is another one: a kubeconfig that was named to this host
   * alone is not found there.
   */
  readonly shellEnvironment?: NodeJS.ProcessEnv | undefined;
  readonly platform: NodeJS.Platform;
  /** Hears of what no feature expected; the windows live on. */
  readonly onBug: (error: unknown) => void;
}

/** Everything behind the windows of one host. Disposing closes all, and leaves in a cluster what was not stopped. */
export interface WindowServices extends AsyncDisposable {
  readonly dispatcher: Dispatcher;
  readonly settings: Pick<SettingsStore, 'value' | 'onChange'>;
  readonly sessions: Pick<LiveSessions, 'list' | 'stopAll'>;
  /** What sessions that are over have left in clusters, a sentence each. */
  leftBehind(): readonly string[];
}

/** Joins the features for windows. Reads settings and kubeconfigs; connects to nothing before a window asks for it. */
export async function composeWindow(options: WindowOptions): Promise<WindowServices> {
  const { services, abilities, environment, platform, onBug } = options;
  const { clock, home, processes, stateFiles: files } = services;
  const lifetime = new DisposableStore();
  const tasks = lifetime.add(createTasks({ clock, onBug }));
  const questions = lifetime.add(createQuestions());
  const onDamage = (notice: Parameters<typeof tasks.tell>[1]): void =>
    tasks.tell('Read the Settings', notice);
  const settings = lifetime.add(await openSettings({ home, files, clock, processes, onDamage }));
  const clusters = lifetime.add(
    await createClusters({
      ...{ environment, clock, home, files, settings, questions },
      openKube: (selection, consent) =>
        createKube({ selection, environment, clock, consent, streams: createStreams, review: createReview }),
    }),
  );
  const isDefaultKubeconfig = foundBy(options.shellEnvironment ?? environment);
  const connected = new ConnectedClusters();
  const plans = new PlanStore(clock);
  const live = lifetime.add(
    new LiveSessions({
      ...{ clock, plans, clusters },
      knowledge: { leaseName, whyReplicasStay },
      questions: { ask: (question, signal) => questions.ask(question, { signal }) },
      sessions: (kube) => services.sessions(kube),
      syncRig: (request) => services.syncRig(request),
      newId: () => randomBytes(8).toString('hex'),
      onFault: onBug,
    }),
  );
  const own = {
    get value() {
      return live.clusterSessions;
    },
    onChange: live.onChange,
  };
  const terminals = lifetime.add(
    composeTerminals({ clusters, clock, sessions: composeSessionContainers(live, clusters) }),
  );
  const leftovers = lifetime.add(
    createLeftoversHandlers({
      ...{ clusters, own, tasks, clock, isDefaultKubeconfig },
      connected: connected.ids,
      sessions: (kube) => services.sessions(kube),
    }),
  );
  const sandbox = createSandbox({ platform });
  const app = lifetime.add(
    createAppHandlers({
      ...{ abilities, platform, sandbox, tasks, settings },
      homeFolder: homedir(),
      stateFolder: services.home,
      version: () => services.version(),
    }),
  );
  const workloads = lifetime.add(
    createWorkloadsHandlers(
      composeWorkloads({
        ...{ services, clusters, plans, live, isDefaultKubeconfig },
        defaultExcludes: () => settings.value.sync.excludes,
      }),
    ),
  );
  const noteFolder = async (path: string): Promise<void> => {
    await settings.revise(({ recentFolders }) => {
      const others = recentFolders.filter((known) => known !== path);
      return { recentFolders: [path, ...others].slice(0, maximumRecentFolders) };
    });
  };
  const doctor = composeDoctor({ environment, clock, plugins: () => clusters.plugins() });
  const handlers: Handlers = {
    ...app,
    ...createWelcomeHandlers({
      ...{ clusters, sampleFolder, noteFolder },
      homeFolder: homedir(),
      isSandbox: (cluster) =>
        sandbox.kubeconfig !== undefined && clusters.info(cluster)?.file === sandbox.kubeconfig,
    }),
    ...createTasksHandlers({ tasks, questions }),
    ...createSettingsHandlers({ settings, doctor }),
    ...clustersHandlers(clusters, connected),
    ...workloads,
    ...sessionsHandlers({ live, clock, plans, noteFolder }),
    ...terminals,
    ...leftovers,
  };
  return {
    dispatcher: createDispatcher(handlers, { clock, onBug }),
    settings,
    sessions: live,
    leftBehind: () => leftBehind(live),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function clustersHandlers(clusters: OpenClusters, connected: ConnectedClusters): HandlersOf<'clusters'> {
  const handlers = createClustersHandlers({ clusters });
  return {
    ...handlers,
    'clusters.connection': (params) =>
      connected.notice(params.cluster, handlers['clusters.connection'](params)),
  };
}

/** A folder that a session was started with is offered first the next time. */
function sessionsHandlers(parts: {
  readonly live: LiveSessions;
  readonly clock: Clock;
  readonly plans: PlanStore;
  readonly noteFolder: (path: string) => Promise<void>;
}): HandlersOf<'sessions'> {
  const handlers = createSessionsHandlers(parts);
  return {
    ...handlers,
    async 'sessions.start'(request, context) {
      const folder = parts.plans.planOf(request.plan)?.form.folder;
      const started = await handlers['sessions.start'](request, context);
      // Settings that cannot be written are told where they are changed; the session runs.
      if (folder !== undefined) await parts.noteFolder(folder).catch(() => undefined);
      return started;
    },
  };
}

/** Whether kubectl and the command line take contexts of a file by themselves. */
function foundBy(environment: NodeJS.ProcessEnv): (file: string) => boolean {
  const files = kubeconfigPaths({ environment }).map((file) => resolve(file));
  return (file) => files.includes(resolve(file));
}

function leftBehind(live: LiveSessions): readonly string[] {
  return Object.values(live.list.value.items).flatMap(({ id, namespace, target, stage }) => {
    const { result } = live.get(id).detail.value;
    const words = [...(result?.remaining ?? [])];
    // A start that failed and was put back is no loss.
    if (stage === 'left' && result?.error !== undefined) words.push(result.error.message);
    return words.map((word) => `${namespace}/${target}: ${word}`);
  });
}
