import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { apply, kubectl, testKubeconfig } from './kubectl.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface Kubeconfig {
  clusters: { name: string; cluster: Record<string, unknown> }[];
  users: { name: string; user: Record<string, unknown> }[];
  contexts: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  'current-context': string;
}

/** A changed copy of a kubeconfig. */
export function kubeconfigWith(from: string, path: string, change: (config: Kubeconfig) => void): string {
  const config = parse(readFileSync(from, 'utf8')) as Kubeconfig;
  change(config);
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

/** Makes a ServiceAccount that may do exactly what the rules say in its namespace; resolves with its kubeconfig. */
export async function serviceAccount(options: {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly folder: string;
}): Promise<string> {
  const { namespace, name, rules, folder } = options;
  const metadata = { name, namespace };
  await apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  );
  const token = (await kubectl('-n', namespace, 'create', 'token', name)).trim();
  return kubeconfigWith(testKubeconfig(), join(folder, `kubeconfig-${name}`), (config) => {
    for (const entry of config.users) entry.user = { token };
    for (const { context } of config.contexts) context.namespace = namespace;
  });
}

/** The address of the test cluster's API server. */
export function testServer(): string {
  const config = parse(readFileSync(testKubeconfig(), 'utf8')) as Kubeconfig;
  return String(config.clusters[0]?.cluster['server']);
}
