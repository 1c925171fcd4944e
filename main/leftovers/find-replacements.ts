import type { V1Deployment } from '@kubernetes/client-node';
import { isSlipwayError } from '../base/errors.ts';
import type { Kube, ResourceType } from '../kube/kube.ts';
import { hasReadableMetadata, readableName } from '../kube/readable-object.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import {
  devSpaceMarks,
  isScaledDown,
  parentOf,
  type ParentKind,
  type ParentObject,
  type Replacement,
} from './devspace-replacement.ts';
import { inParallel } from './in-parallel.ts';

/** Requests under way at once. */
const maximumParallel = 8;
/** More than these are not looked at: somebody else's labels must not make this machine busy. */
const maximumReplacements = 500;

const parentTypes: Readonly<Record<ParentKind, ResourceType>> = {
  Deployment: resourceTypes.deployment,
  StatefulSet: resourceTypes.statefulSet,
  ReplicaSet: resourceTypes.replicaSet,
};
/** Workloads whose dev Deployment is gone are looked for among these. */
const searchedKinds = ['Deployment', 'StatefulSet'] as const;

export interface ReplacementSearch {
  readonly namespaces: readonly string[] | 'all';
  /**
   * `everything` lists each workload, for those that are still scaled down though their dev Deployment is gone: an
   * annotation cannot be selected by. Otherwise the ones that were known are looked at again.
   */
  readonly scaledDown: 'everything' | readonly Replacement[];
  readonly signal?: AbortSignal | undefined;
}

export interface FoundReplacements {
  readonly items: readonly Replacement[];
  /** Namespaces that may not be looked into for it; `*` means all. */
  readonly unseen: readonly string[];
  readonly truncated: boolean;
  /** Objects that make no sense and are left out. */
  readonly unreadable: readonly string[];
}

/** What DevSpace replaced and did not put back, by the marks that it leaves on the objects. */
export async function findReplacements(kube: Kube, search: ReplacementSearch): Promise<FoundReplacements> {
  const unseen = new Set<string>();
  const unreadable = new Set<string>();
  const scopes = search.namespaces === 'all' ? [undefined] : search.namespaces;
  const list = async <T extends ParentObject | V1Deployment>(
    type: ResourceType,
    labelSelector?: string,
  ): Promise<T[]> => {
    const lists = await inParallel(scopes, maximumParallel, async (namespace) => {
      try {
        return (await kube.list<T>(type, namespace, { labelSelector, signal: search.signal })).items;
      } catch (error) {
        if (!isSlipwayError(error, 'cluster.forbidden')) throw error;
        unseen.add(namespace ?? '*');
        return [];
      }
    });
    return lists.flat().filter((object) => {
      const sound = hasReadableMetadata(object) && typeof (object.spec ?? {}) === 'object';
      if (!sound) unreadable.add(`${type.kind} ${readableName(object)}`);
      return sound;
    });
  };
  const devObjects = await list<V1Deployment>(resourceTypes.deployment, `${devSpaceMarks.replaced}=true`);
  const replaced = await inParallel(devObjects.slice(0, maximumReplacements), maximumParallel, (devObject) =>
    describe(kube, devObject, search.signal),
  );
  const standing = new Set(replaced.map((item) => parentKey(item.namespace, item.parent)));
  const orphans =
    search.scaledDown === 'everything'
      ? await Promise.all(
          searchedKinds.map(async (kind) =>
            (await list<ParentObject>(parentTypes[kind]))
              .filter(isScaledDown)
              .map((object) => orphan(kind, object)),
          ),
        )
      : [
          await inParallel(search.scaledDown, maximumParallel, (item) =>
            lookAgain(kube, item, search.signal),
          ),
        ];
  const alone = orphans
    .flat()
    .flatMap((item) => item ?? [])
    .filter((item) => !standing.has(parentKey(item.namespace, item.parent)));
  return {
    items: [...replaced, ...alone.slice(0, maximumReplacements)],
    unseen: [...unseen].sort(),
    unreadable: [...unreadable],
    truncated: devObjects.length > maximumReplacements || alone.length > maximumReplacements,
  };
}

async function describe(kube: Kube, devObject: V1Deployment, signal?: AbortSignal): Promise<Replacement> {
  const { name = '', namespace = '' } = devObject.metadata ?? {};
  const parent = parentOf(devObject);
  const parentObject = parent === undefined ? undefined : await readParent(kube, namespace, parent, signal);
  return { namespace, name, devObject, parent, parentObject };
}

function orphan(kind: ParentKind, object: ParentObject): Replacement {
  const { name = '', namespace = '' } = object.metadata ?? {};
  return { namespace, name, devObject: undefined, parent: { kind, name }, parentObject: object };
}

async function lookAgain(
  kube: Kube,
  item: Replacement,
  signal?: AbortSignal,
): Promise<Replacement | undefined> {
  if (item.parent === undefined) return undefined;
  const object = await readParent(kube, item.namespace, item.parent, signal);
  return object === undefined || !isScaledDown(object) ? undefined : { ...item, parentObject: object };
}

/** Undefined when it is gone or may not be read. */
export async function readParent(
  kube: Kube,
  namespace: string,
  parent: { readonly kind: ParentKind; readonly name: string },
  signal?: AbortSignal,
): Promise<ParentObject | undefined> {
  try {
    const key = { namespace, name: parent.name };
    return await kube.get<ParentObject>(parentTypes[parent.kind], key, { signal });
  } catch (error) {
    if (isSlipwayError(error, 'cluster.not-found', 'cluster.forbidden')) return undefined;
    throw error;
  }
}

export function parentType(kind: ParentKind): ResourceType {
  return parentTypes[kind];
}

function parentKey(namespace: string, parent: Replacement['parent']): string {
  return parent === undefined ? '' : `${namespace}/${parent.kind}/${parent.name}`;
}
