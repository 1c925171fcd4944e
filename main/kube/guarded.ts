import type { KubernetesObject } from '@kubernetes/client-node';
import type { Guard } from '../../contract/settings.ts';
import { assertGuardAllows, type GuardedContext } from './guard-decision.ts';
import type { Kube, ResourceType, WriteOptions } from './kube.ts';
import { reachesInside, reachingSubresources } from './reaching-paths.ts';

export interface GuardPolicy extends GuardedContext {
  /** Asked at each call, so that a guard counts from the moment that it is chosen. */
  readonly guard: () => Guard;
}

/**
 * What each part of a {@link Kube} does. `reads`: never stopped. `depends`: stopped when its arguments say that it
 * changes something. `changes`: always stopped. A part that is not named here does not compile.
 */
export const kubeEffects = {
  contextName: 'reads',
  defaultNamespace: 'reads',
  server: 'reads',
  get: 'depends',
  list: 'reads',
  create: 'depends',
  replace: 'depends',
  patch: 'depends',
  delete: 'changes',
  watch: 'reads',
  raw: 'depends',
  exec: 'changes',
  attach: 'changes',
  forward: 'changes',
  logs: 'reads',
  review: 'reads',
  whoAmI: 'reads',
  version: 'reads',
  [Symbol.asyncDispose]: 'reads',
} as const satisfies Readonly<Record<keyof Kube, 'reads' | 'depends' | 'changes'>>;

/**
 * The same cluster behind its guard: the one place that stops what a protected context must not see. Every part is
 * written out, so that a new one of the interface cannot slip through. What changes nothing passes: reading, server
 * dry runs, and reviews of the user's own rights. A shell that is open already is beyond it.
 */
export function guardKube(kube: Kube, policy: GuardPolicy): Kube {
  const assertAllowed = (): void => assertGuardAllows(policy.guard(), policy);
  return {
    contextName: kube.contextName,
    defaultNamespace: kube.defaultNamespace,
    server: kube.server,
    get: async <T extends KubernetesObject>(...args: Parameters<Kube['get']>) => {
      if (isReaching(args[2]?.subresource)) assertAllowed();
      return kube.get<T>(...args);
    },
    list: (...args) => kube.list(...args),
    create: async <T extends KubernetesObject>(...args: Parameters<Kube['create']>) => {
      if (!isSelfReview(args[0]) && !isDryRun(args[3])) assertAllowed();
      return kube.create<T>(...args);
    },
    replace: async <T extends KubernetesObject>(...args: Parameters<Kube['replace']>) => {
      if (!isDryRun(args[3])) assertAllowed();
      return kube.replace<T>(...args);
    },
    patch: async <T extends KubernetesObject>(...args: Parameters<Kube['patch']>) => {
      if (!isDryRun(args[3])) assertAllowed();
      return kube.patch<T>(...args);
    },
    delete: async (...args) => {
      assertAllowed();
      return kube.delete(...args);
    },
    watch: (...args) => kube.watch(...args),
    raw: async (...args) => {
      if (reachesInside(args[0])) assertAllowed();
      return kube.raw(...args);
    },
    exec: async (...args) => {
      assertAllowed();
      return kube.exec(...args);
    },
    attach: async (...args) => {
      assertAllowed();
      return kube.attach(...args);
    },
    forward: async (...args) => {
      assertAllowed();
      return kube.forward(...args);
    },
    logs: (...args) => kube.logs(...args),
    review: (...args) => kube.review(...args),
    whoAmI: (...args) => kube.whoAmI(...args),
    version: (...args) => kube.version(...args),
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}

/** A dry run ends before anything is stored; a subresource that connects to a container does not know of it. */
function isDryRun(options: WriteOptions | undefined): boolean {
  return options?.dryRun === true && !isReaching(options.subresource);
}

function isReaching(subresource: string | undefined): boolean {
  return subresource !== undefined && subresource.split('/').some((part) => reachingSubresources.has(part));
}

/** Questions about oneself are written as objects that the server answers and does not keep. */
const selfReviews: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
]);

function isSelfReview({ group, plural }: ResourceType): boolean {
  return selfReviews.has(`${group}/${plural}`);
}
