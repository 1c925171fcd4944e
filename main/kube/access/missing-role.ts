import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { Identity } from '../kube.ts';
import { missingRights, type ChannelRights } from './preflight.ts';
import type { Right } from './rights.ts';

/** Subresources that are opened as a stream: which verb they need depends on the server's version and on the client. */
const streams = new Set(['exec', 'attach', 'portforward']);

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface MissingRoleOptions {
  /** Who gets the role; a placeholder to fill in when nobody is named. */
  readonly identity?: Identity | undefined;
}

/**
 * A Role with the rights that the matrix lacks and a RoleBinding for it, as YAML for whoever may grant them; undefined
 * when nothing is missing. Streams into a pod are always granted with both verbs, so that the role holds for
 * every client and after an upgrade of the cluster.
 */
export function missingRole(
  matrix: readonly ChannelRights[],
  namespace: string,
  { identity }: MissingRoleOptions = {},
): string | undefined {
  const missing = missingRights(matrix);
  if (missing.length === 0) return undefined;
  const rules = rulesFor(missing);
  const subject = subjectFor(identity);
  const name = roleName(subject, rules);
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name, namespace },
    rules,
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [subject],
  };
  return `${stringify(role)}---\n${stringify(binding)}`;
}

/** Of its own for each user and each set of rights, so that applying one takes away nothing that another has granted. */
function roleName(subject: object, rules: readonly Rule[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([subject, rules]))
    .digest('hex');
  return `slipway-developer-${digest.slice(0, 8)}`;
}

function rulesFor(rights: readonly Right[]): readonly Rule[] {
  const verbsByResource = new Map<string, { readonly right: Right; readonly verbs: Set<string> }>();
  for (const right of rights) {
    const resource = resourceOf(right);
    const key = `${right.group}/${resource}`;
    const entry = verbsByResource.get(key) ?? { right, verbs: new Set<string>() };
    if (right.subresource !== undefined && streams.has(right.subresource))
      entry.verbs.add('get').add('create');
    entry.verbs.add(right.verb);
    verbsByResource.set(key, entry);
  }
  return [...verbsByResource.values()].map(({ right, verbs }) => ({
    apiGroups: [right.group],
    resources: [resourceOf(right)],
    verbs: [...verbs],
  }));
}

function resourceOf(right: Right): string {
  return right.subresource === undefined ? right.resource : `${right.resource}/${right.subresource}`;
}

function subjectFor(identity: Identity | undefined): object {
  const username = identity?.username ?? '<user name>';
  const [prefix, kind, namespace, name] = username.split(':');
  if (prefix === 'system' && kind === 'serviceaccount' && namespace !== undefined && name !== undefined) {
    return { kind: 'ServiceAccount', name, namespace };
  }
  return { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: username };
}
