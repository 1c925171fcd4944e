import type { KubernetesObject } from '@kubernetes/client-node';

/**
 * Whether an object is named and labelled as every server of Kubernetes does it: what reads its labels and annotations
 * takes them for texts. Others come from servers that only look like one.
 */
export function hasReadableMetadata(object: KubernetesObject): boolean {
  const { name, namespace = '', labels, annotations } = object.metadata ?? {};
  if (typeof name !== 'string' || name === '' || typeof namespace !== 'string') return false;
  const texts: readonly unknown[] = [...Object.values(labels ?? {}), ...Object.values(annotations ?? {})];
  return texts.every((text) => typeof text === 'string');
}

/** Like `shop/web`, whatever the object is made of. */
export function readableName({ metadata }: KubernetesObject): string {
  const { namespace, name } = metadata ?? {};
  const known = typeof name === 'string' && name !== '' ? name : 'one without a name';
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${known}` : known;
}

/** What a listing says about objects that it leaves out; undefined when there are none. */
export function leftOutNote(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, maximumNamed).map((name) => name.slice(0, maximumName));
  const more = names.length > maximumNamed ? ` and ${names.length - maximumNamed} more` : '';
  const what =
    names.length === 1 ? '1 object makes no sense and is' : `${names.length} objects make no sense and are`;
  return `${what} left out: ${shown.join(', ')}${more}.`;
}

const maximumNamed = 3;
/** Of namespace, name and kind together. */
const maximumName = 400;
