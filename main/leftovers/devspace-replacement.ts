import type { KubernetesObject, V1Deployment } from '@kubernetes/client-node';

/** What DevSpace writes on the objects of a replacement: it is found and judged by these alone. */
export const devSpaceMarks = {
  /** Label of the Deployment that it puts beside the workload, and of its pods. */
  replaced: 'devspace.sh/replaced',
  parentKind: 'devspace.sh/parent-kind',
  parentName: 'devspace.sh/parent-name',
  /** Annotation of the workload: how many replicas it had. */
  replicas: 'devspace.sh/replicas',
} as const;

const parentKinds = ['Deployment', 'StatefulSet', 'ReplicaSet'] as const;
export type ParentKind = (typeof parentKinds)[number];

/** A workload that DevSpace may have scaled down; of all three kinds the same fields count. */
export interface ParentObject extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
}

export interface Replacement {
  readonly namespace: string;
  /** The dev Deployment's name, or the workload's where that is gone. */
  readonly name: string;
  /** Undefined when somebody deleted it by hand and the workload is still scaled down. */
  readonly devObject: V1Deployment | undefined;
  /** Undefined when the dev Deployment does not say which workload it stands for. */
  readonly parent: { readonly kind: ParentKind; readonly name: string } | undefined;
  /** Undefined when it is gone or may not be read. */
  readonly parentObject: ParentObject | undefined;
}

export type ReplacementDecision =
  | { readonly kind: 'scale'; readonly to: number; readonly removes: string | undefined }
  /** The workload runs again already: only the dev Deployment and the annotation are left. */
  | { readonly kind: 'clean'; readonly removes: string | undefined }
  | { readonly kind: 'cannot'; readonly reason: string };

const objectName = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const maximumReplicas = 100_000;

/** The workload that a dev Deployment says it stands for; anybody may have written the annotations. */
export function parentOf(devObject: V1Deployment): Replacement['parent'] {
  const annotations = devObject.metadata?.annotations ?? {};
  const kind = parentKinds.find((candidate) => candidate === annotations[devSpaceMarks.parentKind]);
  const name = annotations[devSpaceMarks.parentName] ?? '';
  return kind === undefined || !objectName.test(name) ? undefined : { kind, name };
}

/** How many replicas DevSpace noted; undefined when there is no such number. */
export function notedReplicas(object: ParentObject | undefined): number | undefined {
  const text = object?.metadata?.annotations?.[devSpaceMarks.replicas] ?? '';
  if (!/^[1-9][0-9]{0,5}$/.test(text)) return undefined;
  const count = Number(text);
  return count > maximumReplicas ? undefined : count;
}

/** Whether a workload waits for DevSpace to scale it up again. */
export function isScaledDown(object: ParentObject): boolean {
  return object.spec?.replicas === 0 && notedReplicas(object) !== undefined;
}

/**
 * What putting it back would do. Only where DevSpace's own marks leave no doubt: they name the workload, the dev
 * Deployment has the name that DevSpace gives it, and the number of replicas was noted.
 */
export function decideReplacement(replacement: Replacement): ReplacementDecision {
  const { devObject, parent, parentObject } = replacement;
  const removes = devObject?.metadata?.name;
  if (parent === undefined) return cannot(`${replacement.name} does not say which workload it stands for.`);
  const workload = `${parent.kind}/${parent.name}`;
  if (parentObject === undefined) return cannot(`${workload} is gone, or you may not read it.`);
  if (removes !== undefined && removes !== `${parent.name}-devspace`) {
    return cannot(`DevSpace would have named it ${parent.name}-devspace, so it may be somebody's own.`);
  }
  if (devObject?.metadata?.labels?.[devSpaceMarks.replaced] !== 'true' && devObject !== undefined) {
    return cannot(`${replacement.name} does not have DevSpace's label.`);
  }
  if ((parentObject.spec?.replicas ?? 1) > 0) return { kind: 'clean', removes };
  const to = notedReplicas(parentObject);
  if (to === undefined) return cannot(`How many replicas ${workload} had is not written on it.`);
  return { kind: 'scale', to, removes };
}

/** A sentence each, in the order in which it would be done. */
export function describeReplacement(replacement: Replacement): readonly string[] {
  const decision = decideReplacement(replacement);
  if (decision.kind === 'cannot' || replacement.parent === undefined) return [];
  const { kind, name } = replacement.parent;
  return [
    ...(decision.removes === undefined
      ? []
      : [
          `remove Deployment ${decision.removes} and its pod, whoever may work in it: DevSpace gives no sign of life`,
        ]),
    decision.kind === 'scale'
      ? `scale ${kind} ${name} from 0 to ${decision.to}`
      : `leave ${kind} ${name} at ${replacement.parentObject?.spec?.replicas ?? 1} replicas`,
    ...(notedReplicas(replacement.parentObject) === undefined
      ? []
      : [`remove the annotation ${devSpaceMarks.replicas} from ${kind} ${name}`]),
  ];
}

function cannot(reason: string): ReplacementDecision {
  return { kind: 'cannot', reason };
}
