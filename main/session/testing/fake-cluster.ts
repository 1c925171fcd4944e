import { randomUUID } from 'node:crypto';
import type { KubernetesObject } from '@kubernetes/client-node';
import { SlipwayError } from '../../base/errors.ts';
import type { ErrorCode } from '../../../contract/errors.ts';
import type { Kube, ListOptions, ResourceType, WatchEvent, WriteOptions } from '../../kube/kube.ts';
import { noteOwnership } from './fake-ownership.ts';
import { matchesFields, matchesLabels, mergePatch } from './fake-matching.ts';

export interface FakeObject extends KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    generation: number;
    creationTimestamp: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    managedFields: Record<string, unknown>[];
  } & NonNullable<KubernetesObject['metadata']>;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export interface FakeConnectionOptions {
  readonly user: string;
  /** Throws instead of writing: a process that died, or a right that is missing. */
  readonly beforeWrite?:
    ((write: { verb: string; plural: string; subresource: string | undefined }) => void) | undefined;
}

interface Watcher {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly options: ListOptions;
  readonly listener: (event: WatchEvent<KubernetesObject>) => void;
}

/**
 * An API server in memory, as far as sessions use one: UIDs, resource versions and their conflicts, generations,
 * ownership of the fields that matter, merge patches, the scale subresource, dry runs, deletes by UID, watches;
 * and controllers that make a Deployment's pods run and end at once.
 */
export class FakeCluster {
  readonly #objects = new Map<string, FakeObject>();
  readonly #watchers = new Set<Watcher>();
  #version = 1;
  /** The server's own clock, in milliseconds. */
  now = Date.parse('2026-01-05T10:00:00Z');
  /** Like the controllers of a cluster that is stuck. */
  controllersRun = true;

  connect(options: FakeConnectionOptions): Kube {
    const before = (verb: string, type: ResourceType, write: WriteOptions = {}): void => {
      if (type.plural === 'selfsubjectreviews' || write.dryRun === true) return;
      options.beforeWrite?.({ verb, plural: type.plural, subresource: write.subresource });
    };
    const absent = (): never => {
      throw new Error('Not part of the fake');
    };
    return {
      contextName: 'fake',
      defaultNamespace: 'default',
      server: 'https://fake.invalid',
      get: async (type, key) => this.#copy(this.#require(type, key.namespace, key.name)),
      list: async (type, namespace, list) => ({
        items: this.#select(type, namespace, list ?? {}).map((object) => this.#copy(object)),
        resourceVersion: String(this.#version),
      }),
      create: async (type, namespace, object, write = {}) => {
        before('create', type, write);
        return this.#create(type, namespace, object as FakeObject, write);
      },
      replace: async (type, key, object, write = {}) => {
        before('update', type, write);
        return this.#copy(this.#update(type, key, write, () => object as FakeObject));
      },
      patch: async (type, key, patch, write = {}) => {
        before('patch', type, write);
        if (patch.kind !== 'merge') throw new Error('Only merge patches are part of the fake');
        const merged = this.#update(
          type,
          key,
          write,
          (current) => mergePatch(current, patch.body) as FakeObject,
        );
        return this.#copy(merged);
      },
      delete: async (type, key, remove = {}) => {
        before('delete', type);
        this.#delete(type, key, remove.uid);
      },
      watch: (type, namespace, list, listener) => {
        const watcher = { type, namespace, options: list, listener } as Watcher;
        this.#watchers.add(watcher);
        const items = this.#select(type, namespace, list).map((object) => this.#copy<FakeObject>(object));
        queueMicrotask(() => watcher.listener({ kind: 'reset', items }));
        return { [Symbol.asyncDispose]: async () => void this.#watchers.delete(watcher) };
      },
      raw: absent,
      exec: absent,
      attach: absent,
      forward: absent,
      logs: absent,
      review: absent,
      whoAmI: async () => ({ username: options.user, groups: [] }),
      version: absent,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  /** Everything in a namespace, like `Deployment/web`. */
  names(namespace: string): string[] {
    return [...this.#objects.values()]
      .filter((object) => object.metadata.namespace === namespace)
      .map((object) => `${object.kind}/${object.metadata.name}`)
      .sort();
  }

  #create<T>(type: ResourceType, namespace: string | undefined, object: FakeObject, write: WriteOptions): T {
    if (type.plural === 'selfsubjectreviews') {
      return { metadata: { creationTimestamp: this.#time() } } as T;
    }
    const name = object.metadata.name ?? `${object.metadata.generateName ?? ''}${randomUUID().slice(0, 5)}`;
    const key = keyOf(type, namespace, name);
    if (this.#objects.has(key)) throw failure('cluster.conflict', `${type.plural} "${name}" already exists`);
    const created = this.#copy<FakeObject>({
      ...object,
      apiVersion: type.group === '' ? type.version : `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: {
        ...object.metadata,
        name,
        namespace: namespace ?? '',
        uid: randomUUID(),
        resourceVersion: String(++this.#version),
        generation: 1,
        creationTimestamp: this.#time(),
        managedFields: noteOwnership({}, object, [], this.#writer(write)),
      },
    });
    if (write.dryRun === true) return created as T;
    this.#store(key, created, 'added', type);
    return this.#copy<T>(created);
  }

  #update(
    type: ResourceType,
    key: { namespace?: string; name: string },
    write: WriteOptions,
    change: (current: FakeObject) => FakeObject,
  ): FakeObject {
    const current = this.#require(type, key.namespace, key.name);
    const changed = this.#copy<FakeObject>(change(this.#copy<FakeObject>(current)));
    const { uid, resourceVersion } = changed.metadata;
    if (uid !== undefined && uid !== current.metadata.uid)
      throw failure('cluster.conflict', 'Precondition failed: UID');
    if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion) {
      throw failure('cluster.conflict', 'the object has been modified');
    }
    const isScale = write.subresource === 'scale';
    const next = isScale
      ? { ...current, spec: { ...current.spec, replicas: changed.spec?.['replicas'] } }
      : changed;
    // As on the server: a subresource ignores what a request says about ownership.
    const base = isScale ? current.metadata.managedFields : (changed.metadata.managedFields ?? []);
    const managedFields = noteOwnership(current, next, base, this.#writer(write));
    const specChanged = JSON.stringify(next.spec) !== JSON.stringify(current.spec);
    const result: FakeObject = {
      ...next,
      metadata: {
        ...next.metadata,
        uid: current.metadata.uid,
        managedFields,
        generation: current.metadata.generation + (specChanged ? 1 : 0),
        resourceVersion: String(++this.#version),
      },
    };
    this.#store(keyOf(type, key.namespace, key.name), result, 'modified', type);
    return result;
  }

  #delete(type: ResourceType, key: { namespace?: string; name: string }, uid: string | undefined): void {
    const current = this.#require(type, key.namespace, key.name);
    if (uid !== undefined && uid !== current.metadata.uid)
      throw failure('cluster.conflict', 'Precondition failed: UID');
    this.#objects.delete(keyOf(type, key.namespace, key.name));
    this.#tell(type, current, 'deleted');
    if (type.plural === 'deployments') this.#setPods(current, 0);
  }

  #store(key: string, object: FakeObject, kind: 'added' | 'modified', type: ResourceType): void {
    this.#objects.set(key, object);
    this.#tell(type, object, kind);
    if (type.plural === 'deployments' && this.controllersRun) this.#control(object);
  }

  #control(deployment: FakeObject): void {
    const replicas = Number(deployment.spec?.['replicas'] ?? 1);
    this.#setPods(deployment, replicas);
    deployment.status = {
      observedGeneration: deployment.metadata.generation,
      replicas,
      readyReplicas: replicas,
    };
    deployment.metadata.resourceVersion = String(++this.#version);
  }

  #setPods(deployment: FakeObject, count: number): void {
    const { name, namespace } = deployment.metadata;
    const template = (deployment.spec?.['template'] ?? {}) as {
      metadata?: object;
      spec?: { containers?: { name: string }[] };
    };
    const own = (item: FakeObject): boolean =>
      item.kind === 'Pod' &&
      item.metadata.namespace === namespace &&
      item.metadata.annotations?.['fake/owner'] === name;
    const present = [...this.#objects.values()].filter(own);
    for (const pod of present.slice(count)) {
      this.#objects.delete(keyOf(podType, namespace, pod.metadata.name));
      this.#tell(podType, pod, 'deleted');
    }
    for (let index = present.length; index < count; index++) {
      const pod = {
        metadata: { ...template.metadata, name: `${name}-${index}`, annotations: { 'fake/owner': name } },
        spec: template.spec,
        status: {
          phase: 'Running',
          containerStatuses: (template.spec?.containers ?? []).map((container) => ({
            name: container.name,
            containerID: `containerd://${randomUUID()}`,
            restartCount: 0,
            ready: true,
            state: { running: { startedAt: this.#time() } },
          })),
        },
      };
      this.#create(podType, namespace, pod as unknown as FakeObject, {});
    }
  }

  #tell(type: ResourceType, object: FakeObject, kind: 'added' | 'modified' | 'deleted'): void {
    for (const watcher of this.#watchers) {
      if (watcher.type.plural !== type.plural || !isSelected(object, watcher.namespace, watcher.options))
        continue;
      const copy = this.#copy<FakeObject>(object);
      queueMicrotask(() => watcher.listener({ kind, object: copy }));
    }
  }

  #select(type: ResourceType, namespace: string | undefined, options: ListOptions): FakeObject[] {
    return [...this.#objects.entries()]
      .filter(([key, object]) => key.startsWith(`${type.plural}/`) && isSelected(object, namespace, options))
      .map(([, object]) => object);
  }

  #require(type: ResourceType, namespace: string | undefined, name: string): FakeObject {
    if (type.plural === 'namespaces')
      return { status: { phase: 'Active' }, metadata: { name } } as unknown as FakeObject;
    const found = this.#objects.get(keyOf(type, namespace, name));
    if (found === undefined) throw failure('cluster.not-found', `${type.plural} "${name}" not found`);
    return found;
  }

  #copy<T>(object: unknown): T {
    return JSON.parse(JSON.stringify(object)) as T;
  }

  /** Whole seconds, as the server writes them. */
  #time(): string {
    return new Date(this.now).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  #writer(write: WriteOptions): { manager: string; subresource: string | undefined; time: string } {
    return { manager: write.fieldManager ?? 'someone', subresource: write.subresource, time: this.#time() };
  }
}

const podType: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

function isSelected(object: FakeObject, namespace: string | undefined, options: ListOptions): boolean {
  return (
    (namespace === undefined || object.metadata.namespace === namespace) &&
    matchesLabels(object.metadata.labels ?? {}, options.labelSelector) &&
    matchesFields(object, options.fieldSelector)
  );
}

function keyOf(type: ResourceType, namespace: string | undefined, name: string): string {
  return `${type.plural}/${namespace ?? ''}/${name}`;
}

function failure(code: ErrorCode, message: string): SlipwayError {
  return new SlipwayError({ code, message, cause: message, next: 'This is a fake.' });
}
