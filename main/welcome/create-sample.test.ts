import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { V1Deployment } from '@kubernetes/client-node';
import type { Kube } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { FakeCluster } from '../session/testing/fake-cluster.ts';
import { createSample } from './create-sample.ts';

const from = fileURLToPath(new URL('../../examples/web', import.meta.url));
let homeFolder: string;

beforeEach(async () => {
  homeFolder = await mkdtemp(join(tmpdir(), 'slipway-sample-'));
});
afterEach(() => rm(homeFolder, { recursive: true, force: true }));

async function clusterWith(...images: readonly string[]): Promise<{ cluster: FakeCluster; kube: Kube }> {
  const cluster = new FakeCluster();
  const kube = cluster.connect({ user: 'anna' });
  await kube.create(resourceTypes.node, undefined, {
    metadata: { name: 'node' },
    status: { images: images.map((name) => ({ names: [name] })) },
  });
  return { cluster, kube };
}

describe('the sample', () => {
  it('is created with its source in the own folder, and both stay when it is asked for again', async () => {
    const { cluster, kube } = await clusterWith('docker.io/sandbox/node:1');
    const sample = await createSample({ kube, from, homeFolder });
    const folder = join(homeFolder, 'slipway-sample');
    expect(sample).toEqual({
      ...{ namespace: 'demo', kind: 'Deployment', name: 'web', folder, containerPath: '/app', port: 8080 },
    });
    expect(cluster.names('demo')).toEqual(['Deployment/web', 'Pod/web-0', 'Pod/web-1', 'Service/web']);
    const key = { namespace: 'demo', name: 'web' };
    const web = await kube.get<V1Deployment>(resourceTypes.deployment, key);
    await writeFile(join(folder, 'server.js'), 'mine');
    await createSample({ kube, from, homeFolder });
    expect(await readFile(join(folder, 'server.js'), 'utf8')).toBe('mine');
    expect(await kube.get<V1Deployment>(resourceTypes.deployment, key)).toEqual(web);
  });

  it('is created in a sandbox whose node does not name its images yet', async () => {
    const { cluster, kube } = await clusterWith('docker.io/sandbox/static:1');
    await createSample({ kube, from, homeFolder, hasImages: true });
    expect(cluster.names('demo')).toContain('Deployment/web');
  });

  it('is refused where no node has its image', async () => {
    const { cluster, kube } = await clusterWith('docker.io/library/nginx:1');
    await expect(createSample({ kube, from, homeFolder })).rejects.toMatchObject({
      code: 'workload.unsupported',
    });
    expect(cluster.names('demo')).toEqual([]);
  });
});
