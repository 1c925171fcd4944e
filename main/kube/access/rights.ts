import { assertNever } from '../../base/errors.ts';
import type { ServerVersion } from '../kube.ts';
import { requiredStreamVerbs } from './verbs.ts';

/** What a user can do with a workload; each is judged for itself. */
export const channels = ['terminal', 'forward', 'logs', 'sync', 'replace', 'leftovers'] as const;
export type Channel = (typeof channels)[number];

/** Those that replace nothing, and so are possible with every kind of target. */
export const reachingChannels: readonly Channel[] = ['terminal', 'forward', 'logs', 'sync'];

/** Kinds whose pods can be reached; only a Deployment can be replaced. */
export const targetKinds = ['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet', 'Job', 'Pod'] as const;
export type TargetKind = (typeof targetKinds)[number];

export interface Right {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  /** The one object that is meant; undefined means any of the namespace. */
  readonly name: string | undefined;
  /** Without it less is known, and everything still works. */
  readonly optional: boolean;
}

export interface RightsQuestion {
  readonly channel: Channel;
  readonly serverVersion: Pick<ServerVersion, 'major' | 'minor'>;
  readonly targetKind: TargetKind;
  /** Asked by name where the target alone is meant, for roles that are limited to names. */
  readonly targetName?: string | undefined;
}

/** Every right that a channel uses in the target's namespace, in the order in which it is used. */
export function requiredRights(question: RightsQuestion): readonly Right[] {
  switch (question.channel) {
    case 'terminal':
      return [...findPod(question), ...stream(question, 'exec')];
    case 'forward':
      return [...followPod(question), ...stream(question, 'portforward')];
    case 'logs':
      return [...findPod(question), right('get', 'pods/log')];
    case 'sync':
      return [...followPod(question), ...stream(question, 'exec')];
    case 'replace':
      return replaceRights(question);
    case 'leftovers':
      return leftoverRights();
    default:
      return assertNever(question.channel);
  }
}

const ownerOf = {
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  ReplicaSet: 'replicasets.apps',
  DaemonSet: 'daemonsets.apps',
  Job: 'jobs.batch',
  Pod: undefined,
} as const satisfies Record<TargetKind, string | undefined>;

/** The target's pods as they are now. Without its selector they are known by their owner's name. */
function findPod({ targetKind, targetName }: RightsQuestion): readonly Right[] {
  const owner = ownerOf[targetKind];
  return [
    ...(owner === undefined ? [] : [right('get', owner, { name: targetName, optional: true })]),
    right('list', 'pods'),
  ];
}

/** The same, and whichever come after them. */
function followPod(question: RightsQuestion): readonly Right[] {
  return [...findPod(question), right('watch', 'pods')];
}

function stream({ serverVersion }: RightsQuestion, subresource: 'exec' | 'portforward'): readonly Right[] {
  const verbs = requiredStreamVerbs({ version: serverVersion, transport: 'websocket' });
  return rights(verbs, `pods/${subresource}`);
}

function replaceRights({ targetName }: RightsQuestion): readonly Right[] {
  return [
    ...rights(['list', 'watch'], 'pods'),
    // Without a name: the target and the dev Deployment beside it. Only continuing a dead session updates.
    ...rights(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'], 'deployments.apps'),
    right('patch', 'deployments.apps/scale', { name: targetName }),
    ...rights(['get', 'create', 'patch', 'delete'], 'leases.coordination.k8s.io'),
    // Server-side dry run of the dev pod: nothing else tells beforehand whether admission refuses it.
    right('create', 'pods', { optional: true }),
    ...optional(
      'replicasets.apps',
      'events',
      'services',
      'horizontalpodautoscalers.autoscaling',
      'resourcequotas',
    ),
  ];
}

function leftoverRights(): readonly Right[] {
  return [
    ...rights(['get', 'list', 'patch', 'delete'], 'deployments.apps'),
    right('patch', 'deployments.apps/scale'),
    ...rights(['get', 'list', 'create', 'patch', 'delete'], 'leases.coordination.k8s.io'),
    ...optional('pods', 'replicasets.apps'),
  ];
}

function optional(...resources: readonly string[]): readonly Right[] {
  return resources.map((resource) => right('list', resource, { optional: true }));
}

function rights(
  verbs: readonly string[],
  resource: string,
  options: { readonly name?: string | undefined; readonly optional?: boolean } = {},
): readonly Right[] {
  return verbs.map((verb) => right(verb, resource, options));
}

/** `resource` is written as RBAC people write it: `deployments.apps/scale`. */
function right(
  verb: string,
  resource: string,
  options: { readonly name?: string | undefined; readonly optional?: boolean } = {},
): Right {
  const [qualified = '', subresource] = resource.split('/');
  const dot = qualified.indexOf('.');
  return {
    verb,
    group: dot < 0 ? '' : qualified.slice(dot + 1),
    resource: dot < 0 ? qualified : qualified.slice(0, dot),
    subresource,
    name: options.name,
    optional: options.optional === true,
  };
}
