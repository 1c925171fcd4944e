import type { Leftover as SessionLeftover } from '../session/session.ts';
import type { Replacement } from './devspace-replacement.ts';

/** Something left over, with all that acting on it needs. */
export type FoundLeftover =
  | { readonly kind: 'session'; readonly session: SessionLeftover }
  | { readonly kind: 'replacement'; readonly replacement: Replacement };

/** Stays the same between two looks, and differs between namespaces also where a session's label was copied. */
export function leftoverKey(found: FoundLeftover): string {
  if (found.kind === 'session') return `session:${found.session.namespace}/${found.session.session}`;
  const { namespace, name } = found.replacement;
  return `devspace:${namespace}/${name}`;
}

export function namespaceOf(found: FoundLeftover): string {
  return found.kind === 'session' ? found.session.namespace : found.replacement.namespace;
}
