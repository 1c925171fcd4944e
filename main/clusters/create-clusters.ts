import { join } from 'node:path';
import { applyMerge, diffMerge } from '../../contract/merge-patch.ts';
import type { ClusterList, Connection, Namespace } from '../../contract/clusters.ts';
import type { Listing } from '../../contract/listing.ts';
import type { Guard, Settings } from '../../contract/settings.ts';
import type { Clock } from '../base/clock.ts';
import { isSlipwayError, SlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { SharedStates } from '../base/shared-states.ts';
import type { StateFiles } from '../base/state-files.ts';
import { Store } from '../base/store.ts';
import { watchFiles } from '../base/watch-files.ts';
import type { StateSource } from '../ipc/handlers.ts';
import type { PluginConsent } from '../kube/exec-plugin.ts';
import { assertGuardAllows, type Confirmation, type GuardedContext } from '../kube/guard-decision.ts';
import { guardKube } from '../kube/guarded.ts';
import type { Kube } from '../kube/kube.ts';
import { resolveBeside, selectContext, type Selection } from '../kube/kubeconfig-select.ts';
import type { Environment } from '../kube/proxy.ts';
import type { Questions } from '../tasks/questions.ts';
import { describeClusters, type ClusterSource } from './cluster-list.ts';
import { openClusterNamespaces, type ClusterNamespaces } from './cluster-namespaces.ts';
import type { Clusters } from './clusters.ts';
import { watchConnection, type ConnectionWatch } from './connection.ts';
import { openKnownNamespaces, type KnownNamespaces } from './known-namespaces.ts';
import { groupPaths, loadGroups, type KubeconfigGroup } from './kubeconfig-groups.ts';
import { OpenKubes } from './open-kubes.ts';
import { createPluginConsents, type PluginConsents } from './plugin-consent.ts';

export interface ClustersDeps {
  /** KUBECONFIG and HOME are read from it. */
  readonly environment: Environment;
  readonly clock: Clock;
  readonly home: string;
  readonly files: StateFiles;
  readonly settings: { readonly value: Settings; readonly onChange: Event<void> };
  readonly questions: Pick<Questions, 'ask'>;
  /** Connects to nothing before the first call. */
  readonly openKube: (selection: Selection, consent: PluginConsent | undefined) => Kube;
}

/** {@link Clusters} with what only windows ask for. */
export interface OpenClusters extends Clusters {
  readonly list: ClusterList;
  /** Throws `cluster.unknown`. Connected while somebody watches. */
  connection(id: string): StateSource<Connection>;
  /** Throws `cluster.unknown`. */
  namespaces(id: string): StateSource<Listing<Namespace>>;
  retry(id: string): void;
  /** The sign-in programs that the kubeconfigs name. */
  plugins(): readonly string[];
}

/** Where a guard is chosen, for every refusal. */
const guardNext = 'Change the guard of this cluster in Settings, under Clusters, if that is meant.';

/** Reads the kubeconfigs and keeps them read. Connects to nothing by itself. */
export async function createClusters(deps: ClustersDeps): Promise<OpenClusters> {
  const known = await openKnownNamespaces({
    files: deps.files,
    path: join(deps.home, 'known-namespaces.json'),
  });
  const clusters = new ClustersInUse(deps, known);
  await clusters.reload();
  return clusters;
}

class ClustersInUse implements OpenClusters {
  readonly onChange: Event<void>;
  readonly #deps: ClustersDeps;
  readonly #known: KnownNamespaces;
  readonly #consents: PluginConsents;
  readonly #kubes: OpenKubes;
  readonly #connections: SharedStates<string, Connection, ConnectionWatch>;
  readonly #namespaces: SharedStates<string, Listing<Namespace>, ClusterNamespaces>;
  readonly #list = new Store<ClusterList>({ state: 'loading', items: {}, order: [], files: [] });
  readonly #guarded = new WeakMap<Kube, Kube>();
  readonly #listening: readonly Disposable[];
  #groups: readonly KubeconfigGroup[] = [];
  #sources: ReadonlyMap<string, ClusterSource> = new Map();
  #watcher: { readonly paths: string; readonly watching: AsyncDisposable } | undefined;
  #reloading: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(deps: ClustersDeps, known: KnownNamespaces) {
    this.#deps = deps;
    this.#known = known;
    this.onChange = this.#list.onChange;
    this.#consents = createPluginConsents({
      files: deps.files,
      path: join(deps.home, 'plugin-consents.json'),
      ask: (question, options) => deps.questions.ask(question, options),
    });
    this.#kubes = new OpenKubes({
      open: (selection, source) => deps.openKube(selection, this.#consentFor(source)),
      onRenewed: (id, sameKube) => {
        this.#connections.get(id)?.retry({ anew: true });
        if (!sameKube) this.#namespaces.get(id)?.restart();
      },
    });
    this.#connections = new SharedStates(deps.clock, (id: string) =>
      watchConnection({ clock: deps.clock, kube: async () => this.#open(id) }),
    );
    this.#namespaces = new SharedStates(deps.clock, (id: string) =>
      openClusterNamespaces({
        clock: deps.clock,
        connection: this.#connections.watch(id),
        kube: async () => this.#open(id),
        known: () => this.#knownNamespaces(id),
      }),
    );
    this.#listening = [
      deps.settings.onChange(() => this.#onSettings()),
      known.onChange(() => {
        for (const [, namespaces] of this.#namespaces.all()) namespaces.refreshKnown();
      }),
    ];
  }

  get list(): ClusterList {
    return this.#list.value;
  }

  info(id: string) {
    return Object.hasOwn(this.list.items, id) ? this.list.items[id] : undefined;
  }

  async kube(id: string): Promise<Kube> {
    const kube = this.#open(id);
    const known = this.#guarded.get(kube);
    if (known !== undefined) return known;
    const guarded = guardKube(kube, { guard: () => this.#guard(id), ...this.#guardedContext(id) });
    this.#guarded.set(kube, guarded);
    return guarded;
  }

  async kubeFor(id: string, confirmation: Confirmation): Promise<Kube> {
    const kube = this.#open(id);
    assertGuardAllows(this.#guard(id), this.#guardedContext(id), confirmation);
    return kube;
  }

  assertMayBegin(id: string): void {
    const guard = this.#guard(id);
    if (guard === 'read-only') assertGuardAllows(guard, this.#guardedContext(id));
  }

  confirmation(id: string, expected: string) {
    if (this.#guard(id) !== 'confirm') return undefined;
    return { type: expected, why: `${this.#guardedContext(id).context} asks for a confirmation.` };
  }

  noteNamespace(id: string, namespace: string): void {
    if (this.#sources.has(id)) this.#known.note(id, namespace);
  }

  connection(id: string): StateSource<Connection> {
    this.#source(id);
    return this.#connections.watch(id);
  }

  namespaces(id: string): StateSource<Listing<Namespace>> {
    this.#source(id);
    return this.#namespaces.watch(id);
  }

  retry(id: string): void {
    this.#consents.forgetRefusals(this.#source(id).file);
    this.#connections.get(id)?.retry();
    const namespaces = this.#namespaces.get(id);
    const state = namespaces?.store.value.state;
    if (state === 'stale' || state === 'error' || state === 'partial') namespaces?.restart();
  }

  plugins(): readonly string[] {
    const users = this.#groups.flatMap(({ config }) => [...config.users.values()]);
    const commands = users.flatMap(({ value, file }) => {
      const command = value.exec?.command ?? '';
      return /[/\\]/.test(command) ? [resolveBeside(file, command)] : [command];
    });
    return [...new Set(commands.filter((command) => command !== ''))];
  }

  /** Reads the kubeconfigs anew, after a reading that is under way. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(async () => {
      if (this.#ended) return;
      const { environment, settings } = this.#deps;
      const options = { environment, furtherFiles: settings.value.kubeconfigFiles };
      await this.#watch(groupPaths(options));
      this.#groups = await loadGroups(options);
      this.#describe();
      this.#renewKubes();
    });
    return this.#reloading;
  }

  async #watch(paths: readonly string[]): Promise<void> {
    const joined = paths.join('\0');
    if (this.#watcher?.paths === joined) return;
    await this.#watcher?.watching[Symbol.asyncDispose]();
    const watching = watchFiles({ paths, clock: this.#deps.clock, onChange: () => void this.reload() });
    this.#watcher = { paths: joined, watching };
  }

  #onSettings(): void {
    const { environment, settings } = this.#deps;
    const paths = groupPaths({ environment, furtherFiles: settings.value.kubeconfigFiles });
    if (this.#watcher?.paths === paths.join('\0')) this.#describe();
    else void this.reload();
  }

  /** Parts that stay the same are the same objects. */
  #describe(): void {
    const { list, sources } = describeClusters(this.#groups, this.#deps.settings.value);
    this.#sources = sources;
    const difference = diffMerge(this.list, list);
    if (difference !== undefined) this.#list.set(applyMerge(this.list, difference) as ClusterList);
  }

  /** Brings what is in use in line with what the kubeconfigs say now. */
  #renewKubes(): void {
    for (const id of this.#kubes.ids()) {
      try {
        this.#open(id);
      } catch (error) {
        if (!isSlipwayError(error)) throw error;
        this.#kubes.forget(id);
        this.#connections.get(id)?.retry({ anew: true });
        this.#namespaces.get(id)?.restart();
      }
    }
    // Whose kubeconfig was the trouble waits for nothing but another one.
    for (const [, connection] of this.#connections.all()) {
      const { code = '' } = connection.store.value.error ?? {};
      if (code.startsWith('kubeconfig.') || code === 'cluster.unknown') connection.retry();
    }
  }

  #open(id: string): Kube {
    const source = this.#source(id);
    const selection = selectContext(source.group.config, { context: source.context });
    return this.#kubes.get(id, selection, source);
  }

  #source(id: string): ClusterSource {
    const source = this.#sources.get(id);
    if (source !== undefined) return source;
    throw new SlipwayError({
      code: 'cluster.unknown',
      message: 'There is no such cluster any more.',
      cause: 'No kubeconfig that Slipway reads has its context.',
      next: 'Choose another cluster, or add its kubeconfig in Settings.',
    });
  }

  #guard(id: string): Guard {
    return this.#deps.settings.value.clusters[id]?.guard ?? 'none';
  }

  #guardedContext(id: string): GuardedContext {
    return { context: this.info(id)?.context ?? 'this cluster', next: guardNext };
  }

  /** What kubectl takes by itself needs no other consent than under kubectl. */
  #consentFor({ group, file }: ClusterSource): PluginConsent | undefined {
    return group.origin === 'settings' ? this.#consents.forFile(file) : undefined;
  }

  #knownNamespaces(id: string): readonly string[] {
    const own = this.info(id)?.namespace;
    return [...(own === undefined ? [] : [own]), ...this.#known.of(id)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    for (const listening of this.#listening) listening[Symbol.dispose]();
    await this.#reloading;
    await this.#watcher?.watching[Symbol.asyncDispose]();
    await this.#namespaces[Symbol.asyncDispose]();
    await this.#connections[Symbol.asyncDispose]();
    await this.#kubes[Symbol.asyncDispose]();
    await this.#known.idle();
    this.#list[Symbol.dispose]();
  }
}
