import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply, kubectl, makeNamespace } from '../../tests/support/kubectl.ts';
import { webDeployment } from '../../tests/support/workloads.ts';

/** A namespace of the sandbox with a workload, and a folder. */
export interface Place extends AsyncDisposable {
  readonly namespace: string;
  readonly folder: string;
}

export async function makePlace(prefix: string): Promise<Place> {
  const namespace = await makeNamespace(prefix);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  const dispose = async (): Promise<void> => {
    rmSync(folder, { recursive: true, force: true });
    await namespace[Symbol.asyncDispose]();
  };
  try {
    writeFileSync(join(folder, 'index.html'), '<p>hello</p>\n');
    await apply(webDeployment(namespace.name, { replicas: 1 }));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=120s');
  } catch (error) {
    await dispose();
    throw error;
  }
  return { namespace: namespace.name, folder, [Symbol.asyncDispose]: dispose };
}
