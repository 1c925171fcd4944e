import type { KubernetesObject } from '@kubernetes/client-node';
import type { ErrorValue } from '../../contract/errors.ts';
import { isSlipwayError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import type { Kube, ListOptions, ResourceType, WatchEvent } from '../kube/kube.ts';

/** What is known about a set of objects. `unread`: they could not be read, or may not be read any more. */
export type ObjectsStatus =
  | { readonly kind: 'loading' }
  | { readonly kind: 'live' }
  | { readonly kind: 'stale'; readonly since: string; readonly error: ErrorValue }
  | { readonly kind: 'unread'; readonly error: ErrorValue };

export interface LiveObjectsOptions {
  readonly kube: Pick<Kube, 'watch'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly selectors?: Pick<ListOptions, 'labelSelector' | 'fieldSelector'> | undefined;
  /** Keys of objects that are others now, or `all`; the status may be another one too. */
  readonly onChange: (keys: readonly string[] | 'all') => void;
}

/**
 * Objects of one kind, kept current. The map is changed in place: thousands of objects come one by one, and what
 * is shown is derived from those that changed.
 */
export class LiveObjects<T extends KubernetesObject> implements AsyncDisposable {
  readonly objects = new Map<string, T>();
  /** Objects without a name, which nothing can be said of. */
  nameless = 0;
  #status: ObjectsStatus = { kind: 'loading' };
  readonly #options: LiveObjectsOptions;
  readonly #watch: AsyncDisposable;

  constructor(options: LiveObjectsOptions) {
    this.#options = options;
    const { kube, type, namespace, selectors = {} } = options;
    this.#watch = kube.watch<T>(type, namespace, selectors, (event) => this.#take(event));
  }

  get status(): ObjectsStatus {
    return this.#status;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#watch[Symbol.asyncDispose]());
  }

  #take(event: WatchEvent<T>): void {
    const { onChange } = this.#options;
    switch (event.kind) {
      case 'reset':
        this.objects.clear();
        this.nameless = 0;
        for (const object of event.items) this.#put(object);
        this.#status = { kind: 'live' };
        return onChange('all');
      case 'added':
      case 'modified':
        this.#put(event.object);
        return onChange([keyOf(event.object)]);
      case 'deleted': {
        const key = keyOf(event.object);
        // Another object may have taken the name.
        if (this.objects.get(key)?.metadata?.uid === event.object.metadata?.uid) this.objects.delete(key);
        return onChange([key]);
      }
      case 'stale':
        this.#lose(event.error);
        return onChange('all');
    }
  }

  #put(object: T): void {
    const { name } = object.metadata ?? {};
    if (typeof name === 'string' && name !== '') this.objects.set(keyOf(object), object);
    else this.nameless++;
  }

  #lose(error: Error): void {
    const value = clusterErrorValue(error);
    const mayNot = isSlipwayError(error, 'cluster.forbidden', 'cluster.not-found');
    if (mayNot) this.objects.clear();
    if (mayNot || this.#status.kind === 'loading' || this.#status.kind === 'unread') {
      this.#status = { kind: 'unread', error: value };
      return;
    }
    const since =
      this.#status.kind === 'stale' ? this.#status.since : new Date(this.#options.clock.now()).toISOString();
    this.#status = { kind: 'stale', since, error: value };
  }
}

export function keyOf(object: KubernetesObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
}
