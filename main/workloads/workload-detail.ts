import type {
  CoreV1Event,
  KubernetesObject,
  V1Pod,
  V1Service,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import type { Listing } from '../../contract/listing.ts';
import type { DevState, Workload, WorkloadDetail, WorkloadKey } from '../../contract/workloads.ts';
import { isCancellation, isSlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import type { Kube, ResourceType } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { LeaseObject } from '../session/lease.ts';
import { Coalescer } from './coalesce.ts';
import { containerSummaries } from './container-summaries.ts';
import type { ListDependencies } from './workload-list.ts';
import { devStates } from './dev-states.ts';
import { followCluster } from './follow-cluster.ts';
import { listingState } from './listing-state.ts';
import { LiveObjects } from './live-objects.ts';
import { eventsOf } from './object-events.ts';
import { makerOf, ownerName } from './owner-names.ts';
import { podSummary } from './pod-reasons.ts';
import { ServerClock } from './server-clock.ts';
import { readEach, withUnreadable } from './unreadable.ts';
import { keepSame } from './structural-sharing.ts';
import {
  podLabelsOf,
  podSpecOf,
  rowKey,
  rowOf,
  workloadTypes,
  type WorkloadObject,
} from './workload-rows.ts';

const coalesceMs = 100;
const lifeMs = 15_000;

const loading: WorkloadDetail = {
  state: 'loading',
  labels: {},
  containers: [],
  pods: { state: 'loading', items: {} },
  owners: [],
  services: [],
  events: { state: 'loading', items: {} },
};

/** Everything about one workload, kept current until disposed. */
export class WorkloadPage implements Disposable {
  readonly store = new Store<WorkloadDetail>(loading);
  readonly #follower: Disposable;

  constructor(dependencies: ListDependencies, key: WorkloadKey) {
    const { clusters, clock } = dependencies;
    this.#follower = followCluster({
      clusters,
      clock,
      cluster: key.cluster,
      use: (kube) => new ConnectedPage(dependencies, key, kube, this.store),
      onFailure: (error) => this.store.update((detail) => ({ ...detail, state: 'error', error })),
    });
  }

  [Symbol.dispose](): void {
    this.#follower[Symbol.dispose]();
    this.store[Symbol.dispose]();
  }
}

interface Watches {
  readonly target: LiveObjects<WorkloadObject>;
  readonly services: LiveObjects<V1Service>;
  readonly events: LiveObjects<CoreV1Event>;
  readonly autoscalers: LiveObjects<V2HorizontalPodAutoscaler>;
  readonly leases: LiveObjects<LeaseObject>;
  readonly devObjects: LiveObjects<KubernetesObject>;
}

class ConnectedPage implements AsyncDisposable {
  readonly #dependencies: ListDependencies;
  readonly #key: WorkloadKey;
  readonly #kube: Kube;
  readonly #store: Store<WorkloadDetail>;
  readonly #flushing: Coalescer;
  readonly #watches: Watches;
  readonly #serverClock: ServerClock;
  readonly #sessionChanges: Disposable;
  readonly #ended = new AbortController();
  #pods: { readonly selector: string; readonly objects: LiveObjects<V1Pod> } | undefined;
  #life: Disposable;
  #user: string | undefined;

  constructor(dependencies: ListDependencies, key: WorkloadKey, kube: Kube, store: Store<WorkloadDetail>) {
    const { clock, live, session } = dependencies;
    this.#dependencies = dependencies;
    this.#key = key;
    this.#kube = kube;
    this.#store = store;
    this.#serverClock = new ServerClock(kube, clock, session);
    this.#flushing = new Coalescer(
      clock,
      coalesceMs,
      () => this.#flush(),
      (error) => store.update((detail) => ({ ...detail, state: 'error', error: clusterErrorValue(error) })),
    );
    const ours = { labelSelector: session.sessionObjectsSelector };
    this.#watches = {
      target: this.#watch(workloadTypes[key.kind], { fieldSelector: `metadata.name=${key.name}` }),
      services: this.#watch(resourceTypes.service),
      events: this.#watch(resourceTypes.event),
      autoscalers: this.#watch(resourceTypes.horizontalPodAutoscaler),
      leases: this.#watch(resourceTypes.lease, ours),
      devObjects: this.#watch(resourceTypes.deployment, ours),
    };
    this.#sessionChanges = live.onChange(() => this.#flushing.request());
    void this.#findUser();
    this.#life = clock.timer(1_000, () => void this.#watchLife());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    this.#life[Symbol.dispose]();
    this.#sessionChanges[Symbol.dispose]();
    this.#flushing[Symbol.dispose]();
    const { target, services, events, autoscalers, leases, devObjects } = this.#watches;
    const watches: AsyncDisposable[] = [target, services, events, autoscalers, leases, devObjects];
    if (this.#pods !== undefined) watches.push(this.#pods.objects);
    await Promise.allSettled(watches.map((watch) => watch[Symbol.asyncDispose]()));
  }

  #watch<T extends KubernetesObject>(
    type: ResourceType,
    selectors: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
  ): LiveObjects<T> {
    const { clock } = this.#dependencies;
    const { namespace } = this.#key;
    return new LiveObjects<T>({
      kube: this.#kube,
      clock,
      type,
      namespace,
      selectors,
      onChange: () => this.#flushing.request(),
    });
  }

  async #findUser(): Promise<void> {
    try {
      this.#user = (await this.#kube.whoAmI({ signal: this.#ended.signal })).username;
      this.#flushing.request();
    } catch (error) {
      if (!isSlipwayError(error) && !isCancellation(error)) throw error;
    }
  }

  async #watchLife(): Promise<void> {
    if (this.#watches.leases.objects.size > 0) {
      await this.#serverClock.refresh(this.#ended.signal).catch(() => undefined);
      this.#flushing.request();
    }
    if (this.#ended.signal.aborted) return;
    this.#life = this.#dependencies.clock.timer(lifeMs, () => void this.#watchLife());
  }

  #flush(): void {
    const { target } = this.#watches;
    const object = [...target.objects.values()].find((item) => item.metadata?.name === this.#key.name);
    this.#followPods(object);
    const next = object === undefined ? this.#without(this.#store.value) : this.#detailOf(object);
    this.#store.set(keepSame(this.#store.value, next));
  }

  /** The pods by the workload's own selector, as soon as that is known. */
  #followPods(object: WorkloadObject | undefined): void {
    if (object === undefined) return;
    const { kind, name } = this.#key;
    const { session } = this.#dependencies;
    const selector =
      kind === 'Pod'
        ? { fieldSelector: `metadata.name=${name}` }
        : { labelSelector: session.selectorText(object.spec?.selector) };
    const text = JSON.stringify(selector);
    if (text === this.#pods?.selector) return;
    void this.#pods?.objects[Symbol.asyncDispose]();
    this.#pods = { selector: text, objects: this.#watch<V1Pod>(resourceTypes.pod, selector) };
  }

  #without(before: WorkloadDetail): WorkloadDetail {
    const { status } = this.#watches.target;
    switch (status.kind) {
      case 'loading':
        return before;
      case 'live':
        return { ...before, state: 'gone', error: undefined };
      case 'stale':
        return { ...before, state: 'stale', since: status.since, error: status.error };
      case 'unread':
        return { ...before, state: 'error', error: status.error };
    }
  }

  #detailOf(object: WorkloadObject): WorkloadDetail {
    const { kind } = this.#key;
    const { session } = this.#dependencies;
    const { target, autoscalers } = this.#watches;
    const deployment = object as Parameters<typeof session.findOwners>[0];
    const scalers = readEach(autoscalers.objects.values(), (autoscaler) => {
      session.findOwners(deployment, [autoscaler]);
      return autoscaler;
    });
    const owners = session.findOwners(deployment, scalers.results);
    const base = rowOf(kind, object, makerOf(owners));
    const dev = this.#devState();
    const workload: Workload = dev === undefined ? base : { ...base, dev };
    return {
      ...(target.status.kind === 'stale'
        ? { state: 'stale' as const, since: target.status.since, error: target.status.error }
        : { state: 'ready' as const }),
      workload,
      labels: object.metadata?.labels ?? {},
      containers: containerSummaries(podSpecOf(kind, object)),
      pods: this.#podListing(),
      owners: [
        ...(object.metadata?.ownerReferences ?? []).map((owner) => `${owner.kind} ${owner.name}`),
        ...owners.map(ownerName),
      ],
      services: this.#servicesOf(podLabelsOf(kind, object)),
      events: this.#eventListing(),
    };
  }

  #devState(): DevState | undefined {
    const { cluster, namespace, kind, name } = this.#key;
    const { live, session } = this.#dependencies;
    const { leases, devObjects } = this.#watches;
    const states = devStates({
      cluster,
      leases: leases.objects.values(),
      devObjects: devObjects.objects.values(),
      live,
      session,
      user: this.#user,
      serverNow: this.#serverClock.now(),
      leasesKnown: leases.status.kind === 'live',
    });
    return states.get(rowKey(namespace, kind, name));
  }

  /** Its own pods and, during a session, the dev pod that stands in for them. */
  #podListing(): WorkloadDetail['pods'] {
    const pods = this.#pods?.objects;
    if (pods === undefined) return { state: 'loading', items: {} };
    const { results, unreadable } = readEach(
      pods.objects.values(),
      (pod) => [pod.metadata?.uid ?? pod.metadata?.name ?? '', podSummary(pod)] as const,
    );
    return { ...withUnreadable(this.#words('Pods', pods), unreadable), items: Object.fromEntries(results) };
  }

  #servicesOf(labels: Readonly<Record<string, string>>): WorkloadDetail['services'] {
    const { results } = readEach(this.#watches.services.objects.values(), (service) => {
      const selector = Object.entries(service.spec?.selector ?? {});
      if (selector.length === 0 || !selector.every(([key, value]) => labels[key] === value)) return [];
      const ports = (service.spec?.ports ?? []).map(({ port, targetPort, protocol, name }) => {
        const text = `${port}${targetPort === undefined || targetPort === port ? '' : ` → ${targetPort}`}/${protocol ?? 'TCP'}`;
        return name === undefined ? text : `${name} ${text}`;
      });
      return [{ name: service.metadata?.name ?? '', ports }];
    });
    return results.flat().sort((a, b) => a.name.localeCompare(b.name));
  }

  #eventListing(): WorkloadDetail['events'] {
    const { kind, name } = this.#key;
    const { events } = this.#watches;
    const pods = new Set(
      [...(this.#pods?.objects.objects.values() ?? [])].map((pod) => pod.metadata?.name ?? ''),
    );
    const { items, unreadable } = eventsOf(events.objects.values(), { kind, name, pods });
    return { ...withUnreadable(this.#words('Events', events), unreadable), items };
  }

  #words(
    what: string,
    { status }: Pick<LiveObjects<KubernetesObject>, 'status'>,
  ): Omit<Listing<never>, 'items'> {
    return listingState([{ what, namespace: this.#key.namespace, status }]);
  }
}
