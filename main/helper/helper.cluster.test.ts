import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderAssets } from './assets.ts';
import { connectHelper, type ConnectHelperOptions } from './attach.ts';
import type { HelperConnection } from './connection.ts';
import { OperationResult_Outcome, WriteMode } from './gen/slipway/helper/v1/helper.ts';
import { injectHelper, type InjectedHelper } from './inject.ts';
import { removeHelper } from './remove.ts';
import { inPod, startPod, type TestPod } from './testing/cluster.ts';
import { putItem } from './testing/items.ts';

const assets = folderAssets(fileURLToPath(new URL('../../assets/helper', import.meta.url)));
let epoch = 0;

function connect(
  pod: TestPod,
  helper: InjectedHelper,
  options: Partial<ConnectHelperOptions> = {},
): Promise<HelperConnection> {
  return connectHelper({
    kube: pod.kube,
    target: pod.target,
    helperPath: helper.path,
    pair: 'app',
    root: '/app',
    createRoot: false,
    writeMode: WriteMode.WRITE_MODE_AUTO,
    rules: [],
    poll: false,
    epoch: (epoch += 1),
    trashCapBytes: 64 * 1024 * 1024,
    ...options,
  });
}

function inject(pod: TestPod, session = 'test-1'): Promise<InjectedHelper> {
  return injectHelper({ kube: pod.kube, target: pod.target, session, assets });
}

describe('a helper in a container with a shell', () => {
  let pod: TestPod;
  let helper: InjectedHelper;
  beforeAll(async () => {
    pod = await startPod('sandbox/web:1');
    helper = await inject(pod);
  });
  afterAll(async () => pod?.[Symbol.asyncDispose]());

  it('lies in a private folder and is used again by the same session', async () => {
    expect(helper.reused).toBe(false);
    expect(helper.folder).toBe('/tmp/.slipway-test-1');
    expect((await inPod(pod, `stat -c '%a %u' ${helper.folder}; sha256sum <${helper.path}`)).split('\n')[0]).toBe('700 0');
    expect(await inject(pod)).toEqual({ ...helper, reused: true });
  });

  it('is replaced when what lies there is something else', async () => {
    const other = await inject(pod, 'test-2');
    await inPod(pod, `printf '#!/bin/sh\\necho fake\\n' >${other.path}`);
    expect((await inject(pod, 'test-2')).reused).toBe(false);
    expect(await removeHelper({ kube: pod.kube, target: pod.target, helper: other })).toMatchObject({ removed: true });
    expect(await inPod(pod, 'ls -a /tmp')).not.toContain('slipway-test-2');
  });

  it('writes what is sent and tells what changes', async () => {
    await inPod(pod, 'rm -rf /app/he.txt /app/made');
    await using connection = await connect(pod, helper);
    const [result] = await connection.apply([putItem('he.txt', 'hello', { mode: 0o755 })], 'interactive');
    expect(result?.outcome).toBe(OperationResult_Outcome.OUTCOME_APPLIED);
    expect(await inPod(pod, "cat /app/he.txt; stat -c ' %a %Y' /app/he.txt")).toBe('hello 755 1700000000\n');
    const seen = new Promise<string>((resolve) => {
      connection.onChanges(({ changes }) => {
        const change = changes.find(({ path, entry }) => path === 'made/here' && entry?.size === 3n);
        if (change !== undefined) resolve(change.path);
      });
    });
    await inPod(pod, 'mkdir /app/made && printf abc >/app/made/here');
    expect(await seen).toBe('made/here');
    const parts = [];
    for await (const part of connection.readContent(['made/here'])) parts.push(part.data?.toString());
    expect(parts).toEqual(['abc']);
    const scan = await connection.scan({ below: [] });
    expect([...scan.entries.keys()]).toContain('made/here');
    expect(Math.abs(connection.clockOffsetMs)).toBeLessThan(2_000);
  });

  it('ends the connection of an earlier attach', async () => {
    await inPod(pod, 'rm -f /app/late.txt /app/now.txt');
    await using first = await connect(pod, helper, { pair: 'fenced' });
    await using second = await connect(pod, helper, { pair: 'fenced' });
    await expect(first.apply([putItem('late.txt', 'late')], 'bulk')).rejects.toMatchObject({ code: 'helper.superseded' });
    expect((await first.lost).code).toBe('helper.superseded');
    expect(await inPod(pod, 'ls /app')).not.toContain('late.txt');
    expect((await second.apply([putItem('now.txt', 'now')], 'bulk'))[0]?.outcome).toBe(OperationResult_Outcome.OUTCOME_APPLIED);
  });

  it('is missed when it is gone', async () => {
    await expect(connect(pod, { ...helper, path: '/tmp/nothing/helper' })).rejects.toMatchObject({ code: 'helper.missing' });
  });
});

it('tells that an image has no shell', async () => {
  await using pod = await startPod('sandbox/static:1');
  await expect(inject(pod)).rejects.toMatchObject({ code: 'image.no-shell' });
});

describe('in a container with a read-only root file system', () => {
  const container = { securityContext: { readOnlyRootFilesystem: true } };

  it('finds the folder that can be written to and run from', async () => {
    const mounted = { ...container, volumeMounts: [{ name: 'scratch', mountPath: '/var/tmp' }] };
    await using pod = await startPod('sandbox/nonroot:1', {
      container: mounted,
      pod: { volumes: [{ name: 'scratch', emptyDir: {} }] },
    });
    const helper = await inject(pod);
    expect(helper.folder).toBe('/var/tmp/.slipway-test-1');
    await using connection = await connect(pod, helper, { root: '/var/tmp/work', createRoot: true });
    expect(connection.remoteUid).toBe(10001);
    const [result] = await connection.apply([putItem('a', 'x')], 'interactive');
    expect(result?.outcome).toBe(OperationResult_Outcome.OUTCOME_APPLIED);
  });

  it('says why no folder will do', async () => {
    await using pod = await startPod('sandbox/nonroot:1', { container });
    await expect(inject(pod)).rejects.toMatchObject({
      code: 'helper.not-runnable',
      causeText: expect.stringMatching(/\/tmp: no folder can be made there; \/dev\/shm: nothing can be .* run from there/) as string,
    });
  });
});
