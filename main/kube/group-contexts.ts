import { contextNames } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';

/** Contexts that are one cluster and one sign-in, and differ only in their namespace: one connection serves them all. */
export interface ContextGroup {
  /** Empty when the context's cluster is missing. */
  readonly server: string;
  readonly clusterName: string;
  readonly userName: string;
  readonly contexts: readonly { readonly name: string; readonly namespace: string }[];
}

/** Groups the contexts by the server they lead to and the user they lead there as, in order of their names. */
export function groupContexts(config: Kubeconfig): ContextGroup[] {
  const groups = new Map<string, ContextGroup & { contexts: { name: string; namespace: string }[] }>();
  for (const name of contextNames(config)) {
    const context = config.contexts.get(name)?.value;
    if (context === undefined) continue;
    const server = (config.clusters.get(context.cluster)?.value.server ?? '').replace(/\/+$/, '');
    // A dangling context stays alone with the name it misses.
    const key = JSON.stringify([server === '' ? context.cluster : '', server, context.user]);
    const group = groups.get(key) ?? {
      server,
      clusterName: context.cluster,
      userName: context.user,
      contexts: [],
    };
    group.contexts.push({ name, namespace: context.namespace ?? 'default' });
    groups.set(key, group);
  }
  return [...groups.values()];
}
