import { SlipwayError } from '../base/errors.ts';
import type { ResourceType } from './kube.ts';

/** Path of a collection, or of one object in it, or of a subresource of that. Every segment is encoded. */
export function resourcePath(
  type: ResourceType,
  key: {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly subresource?: string | undefined;
  },
): string {
  const root = type.group === '' ? ['api', type.version] : ['apis', type.group, type.version];
  const namespace = type.namespaced && key.namespace !== undefined ? ['namespaces', key.namespace] : [];
  const name = key.name === undefined ? [] : [key.name];
  const subresource = key.subresource === undefined ? [] : key.subresource.split('/');
  return encodePath([...root, ...namespace, type.plural, ...name, ...subresource]);
}

/** Joins segments with each one encoded. Empty segments and dots would lead elsewhere, so they are refused. */
export function encodePath(segments: readonly string[]): string {
  return segments
    .map((segment) => {
      if (segment === '' || segment === '.' || segment === '..') throw noName(segment);
      return `/${encodeURIComponent(segment)}`;
    })
    .join('');
}

/** Names come from windows and from what a cluster says: one that is none is refused and no bug. */
function noName(segment: string): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: `"${segment}" cannot be the name of anything in a cluster.`,
    cause: 'In the path of a request it would lead elsewhere.',
    next: 'Check the name.',
  });
}

/** What error messages call an object or a collection: `Deployment shop/web`, `pods in shop`, `nodes`. */
export function describeResource(
  type: ResourceType,
  key: {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly subresource?: string | undefined;
  },
): string {
  const of = key.subresource === undefined ? '' : `/${key.subresource}`;
  const namespace = type.namespaced ? key.namespace : undefined;
  if (key.name !== undefined) {
    return `${type.kind}${of} ${namespace === undefined ? '' : `${namespace}/`}${key.name}`;
  }
  return namespace === undefined ? type.plural : `${type.plural} in ${namespace}`;
}
