import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectl, kubectlJson } from './cluster.ts';

interface KubeconfigView {
  readonly clusters: readonly unknown[];
}

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A kubeconfig of a new ServiceAccount that may do exactly what the rules say, in its namespace. */
export async function serviceAccountKubeconfig(
  namespace: string,
  name: string,
  rules: readonly PolicyRule[],
): Promise<{ readonly path: string } & AsyncDisposable> {
  const metadata = { name, namespace };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const items = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      subjects,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    },
  ];
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const token = (await kubectl(['-n', namespace, 'create', 'token', name])).trim();
  const { clusters } = await kubectlJson<KubeconfigView>(['config', 'view', '--raw', '--minify']);
  const [cluster] = clusters as readonly { readonly name: string }[];
  const folder = await mkdtemp(join(tmpdir(), 'slipway-session-'));
  const path = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: cluster?.name, user: name, namespace } }],
    'current-context': name,
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
