import type { KubernetesObject } from '@kubernetes/client-node';
import { assertNever } from '../base/errors.ts';
import type { WatchEvent } from './kube.ts';

/**
 * What a watch has told so far. Changed in place, since a busy cluster tells thousands of events of thousands of
 * objects: each costs the same however many there are.
 */
export class WatchedObjects<T extends KubernetesObject> {
  readonly #objects = new Map<string, T>();
  #stale: Error | undefined;

  /** By `namespace/name`. */
  get objects(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  /** Set while the connection is lost: the objects are as they were then. */
  get stale(): Error | undefined {
    return this.#stale;
  }

  take(event: WatchEvent<T>): void {
    switch (event.kind) {
      case 'reset':
        this.#objects.clear();
        for (const object of event.items) this.#objects.set(objectKey(object), object);
        this.#stale = undefined;
        return;
      case 'stale':
        this.#stale = event.error;
        return;
      case 'added':
      case 'modified':
        this.#objects.set(objectKey(event.object), event.object);
        return;
      case 'deleted':
        return this.#forget(event.object);
      default:
        assertNever(event);
    }
  }

  /** Another object that has taken the name of the deleted one stays. */
  #forget(gone: T): void {
    const key = objectKey(gone);
    if (this.#objects.get(key)?.metadata?.uid === gone.metadata?.uid) this.#objects.delete(key);
  }
}

function objectKey(object: KubernetesObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
}
