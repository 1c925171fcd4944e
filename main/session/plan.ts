import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { ErrorValue } from '../../contract/errors.ts';
import { SlipwayError } from '../base/errors.ts';
import type { AdmissionVerdict } from './admission.ts';
import type { PodChange } from './dev-object.ts';
import type { Owner } from './owners.ts';
import type { QuotaVerdict } from './quota.ts';
import type { FormerOwner } from './record.ts';

/** What the developer asked to have different in the dev container. Absent means: as in the workload. */
export interface ContainerChanges {
  readonly image?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  /** Set by name; a variable of the same name is replaced in its place. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly workingDir?: string | undefined;
  /** Words before the container's command, whatever it is: what runs below the restart helper is started anew. */
  readonly wrapper?: readonly string[] | undefined;
}

export interface SessionRequest {
  readonly namespace: string;
  readonly target: { readonly kind: string; readonly name: string };
  /** May be left out when the pod has only one. */
  readonly container?: string | undefined;
  /** Names the developer's project; any text. */
  readonly project: string;
  readonly changes: ContainerChanges;
}

/** A right that the session needs and this user does not have, as the preflight of access rights finds it. */
export interface MissingRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** The one object that is meant, where it is not any of the namespace. */
  readonly name?: string | undefined;
}

/** A Service whose selector matches the dev pod: its traffic reaches the dev pod from Start to Stop. */
export interface RoutedService {
  readonly name: string;
  readonly ports: readonly string[];
}

export interface SessionTarget {
  readonly apiVersion: string;
  readonly kind: 'Deployment';
  readonly name: string;
  readonly uid: string;
  readonly replicas: number;
  readonly ready: number;
  /** Of `spec` as it was read; a different one at Start means that the plan is out of date. */
  readonly specHash: string;
  readonly formerOwners: readonly FormerOwner[];
}

/** Everything known before Start about what Start would do. A plain value; nothing has been changed for it. */
export interface SessionPlan {
  readonly request: SessionRequest;
  /** As the server sees this user. */
  readonly user: string;
  readonly target: SessionTarget;
  readonly container: string;
  /** As it will be created, apart from what identifies the session. */
  readonly devObject: V1Deployment;
  readonly podDiff: readonly PodChange[];
  readonly droppedProbes: readonly ('livenessProbe' | 'startupProbe')[];
  readonly owners: readonly Owner[];
  readonly services: readonly RoutedService[];
  readonly admission: AdmissionVerdict;
  readonly quota: QuotaVerdict;
  /** Dev pod and target's pods may not run side by side, and why. */
  readonly exclusive: { readonly value: boolean; readonly reasons: readonly string[] };
  /** The session that already holds the target, if any. */
  readonly heldBy?: { readonly holder: string; readonly since: string; readonly live: boolean } | undefined;
  readonly warnings: readonly string[];
  /** What could not be looked at, and why. */
  readonly unknown: readonly string[];
}

/** Why a plan must not be started, in the order in which a person would solve it; empty when nothing stands against it. */
export function obstacles(plan: SessionPlan, missingRights: readonly MissingRight[]): readonly ErrorValue[] {
  const found: ErrorValue[] = [];
  const where = `${plan.request.namespace}/${plan.target.name}`;
  if (missingRights.length > 0) found.push(rightsObstacle(where, missingRights));
  if (plan.admission.kind === 'refused') {
    found.push({
      code: 'admission.refused',
      message: `The cluster would not admit the dev pod of ${where}.`,
      cause: plan.admission.reason,
      next: 'Change what the message names (image, command or security settings), or ask who sets the policy.',
    });
  }
  if (plan.quota.kind === 'exceeded') {
    found.push({
      code: 'quota.exceeded',
      message: `The dev pod of ${where} does not fit into the namespace's quota.`,
      cause: plan.quota.problems.join('; '),
      next: 'Free resources in the namespace or ask for a larger quota.',
    });
  }
  return found;
}

/** Known before a plan: whoever may not do it may often not even read what a plan is made of. */
export function assertRights(where: string, missingRights: readonly MissingRight[]): void {
  if (missingRights.length > 0) throw new SlipwayError(rightsObstacle(where, missingRights));
}

function rightsObstacle(where: string, missingRights: readonly MissingRight[]): ErrorValue {
  return {
    code: 'rights.missing',
    message: `You may not do everything that a session on ${where} needs.`,
    cause: `Missing: ${missingRights.map(describeRight).join('; ')}.`,
    next: 'Ask whoever administers the namespace for the Role that Preflight shows (slipway preflight).',
  };
}

/** The first obstacle as an error. */
export function assertStartable(plan: SessionPlan, missingRights: readonly MissingRight[]): void {
  const [first] = obstacles(plan, missingRights);
  if (first !== undefined) throw new SlipwayError(first);
}

export function describeRight(right: MissingRight): string {
  const group = right.group === '' ? '' : `.${right.group}`;
  const subresource = right.subresource === undefined ? '' : `/${right.subresource}`;
  const name = right.name === undefined ? '' : ` "${right.name}"`;
  return `${right.verb} ${right.resource}${group}${subresource}${name}`;
}

/** The chosen container's name: the named one, or the only one. Init containers are not candidates. */
export function chooseContainer(pod: V1Pod['spec'], asked: string | undefined, where: string): string {
  const names = (pod?.containers ?? []).map((container) => container.name);
  const [first] = names;
  if (asked === undefined) {
    if (first !== undefined && names.length === 1) return first;
    throw new SlipwayError({
      code: 'workload.container-unknown',
      message: `${where} has ${names.length} containers, and none was chosen.`,
      cause: `Its containers are ${names.join(', ')}.`,
      next: 'Name one with --container.',
    });
  }
  if (names.includes(asked)) return asked;
  const isInit = (pod?.initContainers ?? []).some((container) => container.name === asked);
  throw new SlipwayError({
    code: 'workload.container-unknown',
    message: isInit
      ? `${asked} of ${where} is an init container, which ends before the dev container starts.`
      : `${where} has no container ${asked}.`,
    cause: `Its containers are ${names.join(', ')}.`,
    next: 'Name one of these with --container.',
  });
}
