import type { KubernetesObject } from '@kubernetes/client-node';
import { assertNever } from '../base/errors.ts';
import type { WatchEvent } from './kube.ts';

/** What a watch has told so far. */
export interface WatchState<T> {
  /** By `namespace/name`. */
  readonly objects: ReadonlyMap<string, T>;
  /** Set while the connection is lost: the objects are as they were then. */
  readonly stale?: Error | undefined;
}

export const unknownState: WatchState<never> = { objects: new Map<string, never>() };

/** The state after one more event. */
export function foldWatch<T extends KubernetesObject>(
  state: WatchState<T>,
  event: WatchEvent<T>,
): WatchState<T> {
  switch (event.kind) {
    case 'reset':
      return { objects: new Map(event.items.map((object) => [objectKey(object), object])) };
    case 'stale':
      return { ...state, stale: event.error };
    case 'added':
    case 'modified':
      return { ...state, objects: new Map(state.objects).set(objectKey(event.object), event.object) };
    case 'deleted':
      return { ...state, objects: withoutDeleted(state.objects, event.object) };
    default:
      return assertNever(event);
  }
}

/** Another object that has taken the name of the deleted one stays. */
function withoutDeleted<T extends KubernetesObject>(
  objects: ReadonlyMap<string, T>,
  gone: T,
): ReadonlyMap<string, T> {
  const key = objectKey(gone);
  const known = objects.get(key);
  if (known === undefined || known.metadata?.uid !== gone.metadata?.uid) return objects;
  const rest = new Map(objects);
  rest.delete(key);
  return rest;
}

export function objectKey(object: KubernetesObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
}
