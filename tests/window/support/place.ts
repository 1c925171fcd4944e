import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { containerRoot } from '../../../sandbox/client.ts';
import { apply, kubectl, kubectlJson, makeNamespace } from '../../support/kubectl.ts';
import { webDeployment, webService } from '../../support/workloads.ts';

const sample = fileURLToPath(new URL('../../../examples/web/src', import.meta.url));
const kindsOfSessions =
  'deployments,replicasets,leases,configmaps,secrets,services,serviceaccounts,persistentvolumeclaims';

/** What a test of the window works on: a workload with two replicas and a copy of the sample project. */
export class Place implements AsyncDisposable {
  readonly namespace: string;
  readonly project: string;
  readonly #deleteNamespace: () => PromiseLike<void>;

  static async make(prefix: string): Promise<Place> {
    const namespace = await makeNamespace(prefix);
    await apply(webDeployment(namespace.name), webService(namespace.name));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
    return new Place(namespace.name, () => namespace[Symbol.asyncDispose]());
  }

  private constructor(namespace: string, deleteNamespace: () => PromiseLike<void>) {
    this.namespace = namespace;
    this.project = mkdtempSync(join(tmpdir(), 'slipway project-'));
    cpSync(sample, this.project, { recursive: true });
    this.#deleteNamespace = deleteNamespace;
  }

  deployment(): Promise<V1Deployment> {
    return kubectlJson<V1Deployment>('-n', this.namespace, 'get', 'deployment', 'web');
  }

  /** Every object that a session may make, by kind and name; pods aside, which come and go by themselves. */
  async objects(): Promise<readonly string[]> {
    const names = await kubectl('-n', this.namespace, 'get', kindsOfSessions, '-o', 'name');
    return names.trim().split('\n').sort();
  }

  /** Path on this machine of a file in the dev container. */
  async inContainer(path: string): Promise<string> {
    const pods = await kubectlJson<{ items: V1Pod[] }>('-n', this.namespace, 'get', 'pods');
    const pod = pods.items.find(
      ({ metadata, status }) => metadata?.name?.startsWith('web-dev-') && status?.phase === 'Running',
    );
    return join(containerRoot(this.namespace, pod?.metadata?.name ?? 'none', 'web'), path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.project, { recursive: true, force: true });
    await this.#deleteNamespace();
  }
}

/** SHA-256 of a file's content; `missing` when there is none. */
export function hashOf(path: string): string {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'missing';
}

/** A file's text; `missing` when there is none. */
export function contentOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : 'missing';
}
