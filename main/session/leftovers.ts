import type { V1Deployment, V1Namespace } from '@kubernetes/client-node';
import { isSlipwayError, messageOf } from '../base/errors.ts';
import { hasReadableMetadata, readableName } from '../kube/readable-object.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import type { ResourceType } from '../kube/kube.ts';
import type { KubernetesObject } from '@kubernetes/client-node';
import { judgeLease, leaseDurationMs, type LeaseObject } from './lease.ts';
import { judgeLeases } from './liveness.ts';
import { keys, leaseName, sessionObjectsSelector } from './names.ts';
import { getDeployment, sessionOf } from './objects.ts';
import { parseRecord, type SessionRecord } from './record.ts';
import { decideReplicas, describeRestore } from './restore-decision.ts';
import { describeRemove } from './remove-steps.ts';
import { serverTime } from './server-time.ts';
import type { SessionContext } from './session.ts';
import { timeOf } from './time-of.ts';

/** One session found in the cluster. Only `live` ones are not left over. */
export interface Leftover {
  /** `no-lease`: its Lease was removed. `ledger-only`: only this machine's ledger still knows about it. */
  readonly state: 'live' | 'dead' | 'no-lease' | 'ledger-only';
  readonly session: string;
  readonly namespace: string;
  readonly user: string;
  readonly machine: string;
  /** ISO 8601. */
  readonly since: string;
  /** Since it was last heard of, by the server's clock. */
  readonly silentMs: number | undefined;
  readonly mine: boolean;
  /** Like `Deployment/web`. */
  readonly target: string;
  readonly wouldRestore: readonly string[];
  readonly wouldRemove: readonly string[];
  /** Undefined when every copy of it is damaged: it can be shown, not restored. */
  readonly record: SessionRecord | undefined;
  readonly lease: LeaseObject | undefined;
  readonly devObject: V1Deployment | undefined;
}

export interface LeftoverList {
  readonly items: readonly Leftover[];
  readonly namespaces: readonly string[] | 'all';
  /** Where this user may not look, and why. */
  readonly unseen: readonly { readonly namespace: string; readonly reason: string }[];
  /** Objects that make no sense and are left out, like `Lease shop/slipway-deployment-web`. */
  readonly unreadable: readonly string[];
}

interface Found {
  readonly leases: readonly LeaseObject[];
  readonly deployments: readonly V1Deployment[];
}

const maximumParallel = 8;

/** Finds sessions by label alone: from any machine, without a project, with rights in one namespace or in all. */
export async function findLeftovers(
  context: SessionContext,
  options: { readonly namespace?: string | undefined; readonly signal?: AbortSignal } = {},
): Promise<LeftoverList> {
  const { signal } = options;
  const look = await lookAround(context, options.namespace, signal);
  const user = (await context.kube.whoAmI({ signal })).username;
  const unreadable: string[] = [];
  const readable = <T extends KubernetesObject>(
    kind: string,
    objects: readonly T[],
    probe: (object: T) => unknown,
  ): readonly T[] =>
    objects.filter((object) => {
      if (isReadable(object, probe)) return true;
      unreadable.push(`${kind} ${readableName(object)}`);
      return false;
    });
  const leases = readable('Lease', look.found.leases, (lease) => judgeLease(lease, 0));
  const deployments = readable('Deployment', look.found.deployments, (object) => objectAge(object, 0));
  const byLease = new Map(leases.flatMap((lease) => pair(lease)));
  const byObject = new Map(deployments.flatMap((object) => pair(object)));
  const ledger = new Map((await context.ledger.entries()).map(({ record }) => [record.session, record]));
  const now = await serverTime(context.kube, { signal });
  const liveness = await judgeLeases(context, [...byLease.values()], signal);
  const states = new Map([...byLease.keys()].map((session, index) => [session, liveness[index]]));
  const items: Leftover[] = [];
  for (const key of new Set([...byLease.keys(), ...byObject.keys()])) {
    const lease = byLease.get(key);
    const devObject = byObject.get(key);
    const session = sessionOf(lease ?? devObject);
    if (session === undefined) continue;
    const alive = states.get(key);
    const age = objectAge(devObject, now);
    // A dev object is never there before its Lease, so a young one without is one whose Lease came since.
    if (alive === undefined && age !== undefined && age <= leaseDurationMs) continue;
    const state = alive?.kind ?? 'no-lease';
    items.push(
      await describe(context, {
        session,
        lease,
        devObject,
        state,
        silentMs: alive?.ageMs ?? age,
        user,
        ledger,
      }),
    );
  }
  const known = new Set(items.map(keyOf));
  for (const record of ledger.values()) {
    if (known.has(keyOf(record)) || !isLookedAt(look.namespaces, record.namespace)) continue;
    const forgotten = await fromLedger(context, record, user, signal);
    if (forgotten !== undefined) items.push(forgotten);
  }
  return { items, namespaces: look.namespaces, unseen: look.unseen, unreadable };
}

/** The same for one target: what Start has to know. */
export async function findSessionOf(
  context: SessionContext,
  target: {
    readonly namespace: string;
    readonly kind: string;
    readonly name: string;
    readonly devName: string;
  },
  user: string,
  signal?: AbortSignal,
): Promise<Leftover | undefined> {
  const { namespace } = target;
  const lease = await getLease(context, namespace, leaseName(target.kind, target.name), signal);
  const object = await getDeployment(context.kube, namespace, target.devName, signal);
  const session = sessionOf(lease) ?? sessionOf(object);
  if (session === undefined) return undefined;
  const [liveness] = await judgeLeases(context, lease === undefined ? [] : [lease], signal);
  const devObject = sessionOf(object) === session ? object : undefined;
  const ledger = new Map((await context.ledger.entries()).map(({ record }) => [record.session, record]));
  const state = liveness?.kind ?? 'no-lease';
  return describe(context, { session, lease, devObject, state, silentMs: liveness?.ageMs, user, ledger });
}

async function getLease(
  context: SessionContext,
  namespace: string,
  name: string,
  signal?: AbortSignal,
): Promise<LeaseObject | undefined> {
  try {
    return await context.kube.get<LeaseObject>(resourceTypes.lease, { namespace, name }, { signal });
  } catch (error) {
    if (isSlipwayError(error, 'cluster.not-found')) return undefined;
    throw error;
  }
}

interface Description {
  readonly session: string;
  readonly lease: LeaseObject | undefined;
  readonly devObject: V1Deployment | undefined;
  readonly state: Leftover['state'];
  readonly silentMs: number | undefined;
  readonly user: string;
  readonly ledger: ReadonlyMap<string, SessionRecord>;
}

async function describe(context: SessionContext, found: Description): Promise<Leftover> {
  const holder = found.lease ?? found.devObject;
  const annotations = holder?.metadata?.annotations ?? {};
  const namespace = holder?.metadata?.namespace ?? '';
  const record = [
    parseRecord(found.lease?.metadata?.annotations?.[keys.changes]),
    parseRecord(found.devObject?.metadata?.annotations?.[keys.changes]),
    found.ledger.get(found.session),
  ].find((copy) => copy?.session === found.session && copy.namespace === namespace);
  const user = record?.user ?? annotations[keys.user] ?? '(unknown)';
  const target = record === undefined ? undefined : await targetOf(context, record);
  return {
    state: found.state,
    session: found.session,
    namespace,
    user,
    machine: record?.machine ?? annotations[keys.machine] ?? '(unknown)',
    since: record?.createdAt ?? annotations[keys.createdAt] ?? '(unknown)',
    silentMs: found.silentMs,
    mine: user === found.user,
    target: record === undefined ? (annotations[keys.target] ?? '(unknown)') : targetText(record),
    wouldRestore: record === undefined ? [] : describeRestore(record, target),
    wouldRemove: describeRemove({
      state: found.state,
      record,
      target,
      devObject: found.devObject?.metadata?.name ?? record?.devObject.name,
      lease: found.lease?.metadata?.name,
    }),
    record,
    lease: found.lease,
    devObject: found.devObject,
  };
}

async function fromLedger(
  context: SessionContext,
  record: SessionRecord,
  user: string,
  signal?: AbortSignal,
): Promise<Leftover | undefined> {
  const target = await targetOf(context, record, signal);
  if (decideReplicas(record, target).kind !== 'restore') return undefined;
  return {
    state: 'ledger-only',
    session: record.session,
    namespace: record.namespace,
    user: record.user,
    machine: record.machine,
    since: record.createdAt,
    silentMs: undefined,
    mine: record.user === user,
    target: targetText(record),
    wouldRestore: describeRestore(record, target),
    wouldRemove: describeRemove({
      state: 'ledger-only',
      record,
      target,
      devObject: undefined,
      lease: undefined,
    }),
    record,
    lease: undefined,
    devObject: undefined,
  };
}

/** Undefined also when this user may not read it: what would be restored is then only guessed to be gone. */
async function targetOf(
  { kube }: SessionContext,
  record: SessionRecord,
  signal?: AbortSignal,
): Promise<V1Deployment | undefined> {
  try {
    return await getDeployment(kube, record.namespace, record.target.name, signal);
  } catch (error) {
    if (isSlipwayError(error, 'cluster.forbidden')) return undefined;
    throw error;
  }
}

interface Look {
  readonly found: Found;
  readonly namespaces: LeftoverList['namespaces'];
  readonly unseen: LeftoverList['unseen'];
}

/** One namespace; or all at once; or, without the right to that, one by one those that can be named. */
async function lookAround(
  context: SessionContext,
  namespace: string | undefined,
  signal?: AbortSignal,
): Promise<Look> {
  if (namespace !== undefined) {
    return { found: await lookIn(context, namespace, signal), namespaces: [namespace], unseen: [] };
  }
  try {
    return { found: await lookIn(context, undefined, signal), namespaces: 'all', unseen: [] };
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.forbidden')) throw error;
  }
  const names = await nameableNamespaces(context, signal);
  const seen: string[] = [];
  const unseen: { namespace: string; reason: string }[] = [];
  const leases: LeaseObject[] = [];
  const deployments: V1Deployment[] = [];
  for (let start = 0; start < names.length; start += maximumParallel) {
    const looks = names.slice(start, start + maximumParallel).map(async (name) => {
      try {
        const found = await lookIn(context, name, signal);
        seen.push(name);
        leases.push(...found.leases);
        deployments.push(...found.deployments);
      } catch (error) {
        if (!isSlipwayError(error, 'cluster.forbidden')) throw error;
        unseen.push({ namespace: name, reason: error.causeText || (messageOf(error) ?? '') });
      }
    });
    await Promise.all(looks);
  }
  return { found: { leases, deployments }, namespaces: seen.sort(), unseen };
}

async function nameableNamespaces(context: SessionContext, signal?: AbortSignal): Promise<readonly string[]> {
  const remembered = (await context.ledger.entries()).map(({ record }) => record.namespace);
  const own = [context.kube.defaultNamespace, ...remembered];
  try {
    const list = await context.kube.list<V1Namespace>(resourceTypes.namespace, undefined, { signal });
    return [...new Set([...list.items.map((item) => item.metadata?.name ?? ''), ...own])];
  } catch (error) {
    if (isSlipwayError(error, 'cluster.forbidden')) return [...new Set(own)];
    throw error;
  }
}

/** Leases and dev objects; either may be forbidden, and the other still tells. */
async function lookIn(
  context: SessionContext,
  namespace: string | undefined,
  signal?: AbortSignal,
): Promise<Found> {
  const list = async <T extends KubernetesObject>(type: ResourceType): Promise<readonly T[] | Error> => {
    try {
      const options = { labelSelector: sessionObjectsSelector, signal };
      return (await context.kube.list<T>(type, namespace, options)).items;
    } catch (error) {
      if (isSlipwayError(error, 'cluster.forbidden')) return error;
      throw error;
    }
  };
  const leases = await list<LeaseObject>(resourceTypes.lease);
  const deployments = await list<V1Deployment>(resourceTypes.deployment);
  // Without Leases a live session cannot be told from a dead one.
  if (leases instanceof Error) throw leases;
  return { leases, deployments: deployments instanceof Error ? [] : deployments };
}

function isLookedAt(namespaces: LeftoverList['namespaces'], namespace: string): boolean {
  return namespaces === 'all' || namespaces.includes(namespace);
}

/** One that makes no sense would stop everything that is said of the others. */
function isReadable<T extends KubernetesObject>(object: T, probe: (object: T) => unknown): boolean {
  try {
    probe(object);
    return hasReadableMetadata(object);
  } catch {
    return false;
  }
}

function objectAge(object: V1Deployment | undefined, now: number | undefined): number | undefined {
  const created = timeOf(object?.metadata?.creationTimestamp);
  return created === undefined || now === undefined ? undefined : now - created;
}

function targetText(record: SessionRecord): string {
  return `${record.target.kind}/${record.target.name}`;
}

/** With the namespace: whoever copies a session's label into another one must not hide the session. */
function keyOf({ namespace, session }: { readonly namespace: string; readonly session: string }): string {
  return `${namespace}/${session}`;
}

function pair<T extends KubernetesObject>(object: T): readonly (readonly [string, T])[] {
  const session = sessionOf(object);
  return session === undefined
    ? []
    : [[keyOf({ namespace: object.metadata?.namespace ?? '', session }), object]];
}
