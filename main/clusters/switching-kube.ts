import type { KubernetesObject } from '@kubernetes/client-node';
import type { Kube, ListOptions, ResourceType, WatchEvent } from '../kube/kube.ts';

/**
 * One cluster whose connection can be replaced beneath its users, when a sign-in is written anew. Calls go to the
 * newest connection; watches begin again there, with `reset`, which is how every watch begins. Streams stay on the
 * connection that they were opened on. Disposing the Kube does nothing: it is shared.
 */
export interface SwitchingKube {
  readonly kube: Kube;
  /** The connection before is not disposed: its streams may still run. */
  switchTo(next: Kube): void;
}

interface OpenWatch {
  restart(): void;
}

export function createSwitchingKube(first: Kube): SwitchingKube {
  let current = first;
  const watches = new Set<OpenWatch>();
  const kube: Kube = {
    contextName: first.contextName,
    defaultNamespace: first.defaultNamespace,
    server: first.server,
    get: (...args) => current.get(...args),
    list: (...args) => current.list(...args),
    create: (...args) => current.create(...args),
    replace: (...args) => current.replace(...args),
    patch: (...args) => current.patch(...args),
    delete: (...args) => current.delete(...args),
    watch: (...args) => watchOn(() => current, watches, args),
    raw: (...args) => current.raw(...args),
    exec: (...args) => current.exec(...args),
    attach: (...args) => current.attach(...args),
    forward: (...args) => current.forward(...args),
    logs: (...args) => current.logs(...args),
    review: (...args) => current.review(...args),
    whoAmI: (...args) => current.whoAmI(...args),
    version: (...args) => current.version(...args),
    async [Symbol.asyncDispose]() {},
  };
  return {
    kube,
    switchTo(next) {
      current = next;
      for (const watch of watches) watch.restart();
    },
  };
}

function watchOn<T extends KubernetesObject>(
  current: () => Kube,
  watches: Set<OpenWatch>,
  [type, namespace, options, listener]: readonly [
    ResourceType,
    string | undefined,
    ListOptions,
    (event: WatchEvent<T>) => void,
  ],
): AsyncDisposable {
  let generation = 0;
  const open = (): AsyncDisposable => {
    const own = (generation += 1);
    return current().watch<T>(type, namespace, options, (event) => {
      // The one before may still have a word on its way.
      if (own === generation) listener(event);
    });
  };
  let running = open();
  let endings: Promise<void> = Promise.resolve();
  const end = (watch: AsyncDisposable): void => {
    endings = endings.then(() => watch[Symbol.asyncDispose]());
  };
  const entry: OpenWatch = {
    restart() {
      end(running);
      running = open();
    },
  };
  watches.add(entry);
  return {
    async [Symbol.asyncDispose]() {
      watches.delete(entry);
      generation += 1;
      end(running);
      await endings;
    },
  };
}
