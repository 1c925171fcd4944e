import { namespaceOf, type FoundLeftover } from './found-leftover.ts';
import { presentLeftover } from './present-leftover.ts';

const objectName = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * What is typed where the cluster's guard asks for it: the workload's name for one, the namespace's for several,
 * and the context's where they lie in several namespaces. A name that comes out of an annotation counts only when
 * it is one, for nobody can type the others.
 */
export function expectedConfirmation(found: readonly FoundLeftover[], context: string): string {
  const namespaces = [...new Set(found.map(namespaceOf))];
  const [namespace] = namespaces;
  if (namespace === undefined || namespaces.length > 1) return context;
  const [only] = found;
  if (only === undefined || found.length > 1) return namespace;
  const name = presentLeftover(only).target.split('/').at(-1) ?? '';
  return objectName.test(name) ? name : namespace;
}
