import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../tests/support/eventually.ts';
import { apply, kubectl, kubectlJson, makeNamespace, testKubeconfig } from '../../tests/support/kubectl.ts';
import { webDeployment } from '../../tests/support/workloads.ts';
import { Emitter } from '../base/event.ts';
import type { Kube } from '../kube/kube.ts';
import { createStreams } from '../kube/streams/streams.ts';
import { connectFiles } from '../kube/testing/connect.ts';
import type { KubeTransport } from '../kube/transport.ts';
import { openForward, type Forward, type ForwardHealth } from './forward.ts';
import { followLogs, type ContainerRun } from './logs.ts';
import { enter, type TerminalSize } from './terminal.ts';

const curl = promisify(execFile);

describe('channels to a real workload', () => {
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;
  let transport: KubeTransport;
  let kube: Pick<Kube, 'exec' | 'attach' | 'forward' | 'logs'>;

  beforeAll(async () => {
    namespace = await makeNamespace('ks-channels');
    transport = await connectFiles({ KUBECONFIG: testKubeconfig(), PATH: process.env['PATH'] });
    kube = createStreams(transport);
    await apply(webDeployment(namespace.name, { replicas: 1 }));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=60s');
  });

  afterAll(async () => {
    await namespace[Symbol.asyncDispose]();
    await transport[Symbol.asyncDispose]();
  });

  let attempts = 0;
  /** A test that is tried again finds what it made before. */
  const unusedName = (name: string): string => `${name}-${attempts++}`;

  async function readyPod(): Promise<V1Pod> {
    const { items } = await kubectlJson<{ items: V1Pod[] }>(
      '-n',
      namespace.name,
      'get',
      'pods',
      '-l',
      'app=web',
    );
    const pod = items.find(
      (item) =>
        item.metadata?.deletionTimestamp === undefined && item.status?.containerStatuses?.[0]?.ready === true,
    );
    if (pod === undefined) throw new Error('No pod is ready');
    return pod;
  }

  const podName = async (): Promise<string> => (await readyPod()).metadata?.name ?? '';

  function openWeb(currentPod: () => string, port = 8080): Promise<Forward> {
    const resolve = async () => ({ namespace: namespace.name, pod: currentPod(), port });
    return openForward({ kube, resolve, localPort: 0 });
  }

  async function status(port: number, path = '/', seconds = 2): Promise<string> {
    const args = [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-m',
      String(seconds),
      `http://localhost:${port}${path}`,
    ];
    return curl('curl', args).then(
      ({ stdout }) => stdout,
      (error: unknown) => (error as { stdout: string }).stdout,
    );
  }

  it('forward on the same port after the pod is replaced', async () => {
    const before = await podName();
    let pod = before;
    await using forward = await openWeb(() => pod);
    await eventually(() => expect(forward.health.kind).toBe('active'));
    const { localPort } = forward;
    expect(await status(localPort)).toBe('200');
    await kubectl('-n', namespace.name, 'delete', 'pod', before);
    await eventually(async () => expect(await status(localPort)).not.toBe('200'));
    await eventually(() => expect(forward.health.kind).toBe('failed'));
    await eventually(async () => {
      pod = await podName();
      expect(pod).not.toBe(before);
    });
    await eventually(() => expect(forward.health.kind).toBe('active'));
    for (let time = 0; time < 5; time++) expect(await status(localPort)).toBe('200');
  });

  it('answer after 50 cancelled downloads, and free what those held', async () => {
    const pod = await podName();
    await kubectl(
      '-n',
      namespace.name,
      'exec',
      pod,
      '--',
      'sh',
      '-c',
      'head -c 268435456 /dev/zero > /app/big; echo ok > /app/small',
    );
    await using forward = await openWeb(() => pod);
    await eventually(() => expect(forward.health.kind).toBe('active'));
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 10 }, () => status(forward.localPort, '/big', 0.3)));
    }
    const started = Date.now();
    expect(await status(forward.localPort, '/small')).toBe('200');
    expect(Date.now() - started).toBeLessThan(2_000);
    await eventually(() => expect(forward.connections).toBe(0));
  });

  it('say that nobody listens on the port of the pod', async () => {
    const pod = await podName();
    await using forward = await openWeb(() => pod, 9);
    const seen: ForwardHealth[] = [];
    forward.onHealth((health) => seen.push(health));
    await eventually(() =>
      expect(seen.at(-1)).toMatchObject({ kind: 'failed', error: { code: 'stream.refused' } }),
    );
    const socket = connect(forward.localPort, '127.0.0.1');
    expect(await once(socket, 'close').catch((error: unknown) => error)).toBeTruthy();
  });

  it('open a shell of the local size and type, and give its exit code', async () => {
    const pod = await podName();
    const stdin = new PassThrough();
    let output = '';
    const stdout = new Writable({
      write: (chunk, _encoding, callback) => ((output += String(chunk)), callback()),
    });
    stdin.write('stty size; echo "type $TERM"; exit 3\n');
    const resized = new Emitter<TerminalSize>();
    const terminal = { type: 'xterm-256color', size: { columns: 195, rows: 41 }, onResize: resized.event };
    const target = { namespace: namespace.name, pod };
    expect(await enter({ kube, target, stdin, stdout, terminal })).toEqual({ kind: 'exited', code: 3 });
    expect(output).toContain('41 195');
    expect(output).toContain('type xterm-256color');
  });

  it('say that an image has no shell', async () => {
    const pod = unusedName('static');
    await kubectl('-n', namespace.name, 'run', pod, '--image=sandbox/static:1');
    await kubectl('-n', namespace.name, 'wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=60s');
    const streams = { stdin: new PassThrough(), stdout: new PassThrough() };
    await expect(
      enter({ kube, target: { namespace: namespace.name, pod }, ...streams }),
    ).rejects.toMatchObject({
      code: 'image.no-shell',
    });
  });

  it('follow a log across restarts of the container without doubles and gaps', async () => {
    const script =
      'i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "$(cat /run/n 2>/dev/null) $i"; sleep 0.05; done; exit 1';
    const name = unusedName('counter');
    await kubectl('-n', namespace.name, 'run', name, '--image=sandbox/web:1', '--', 'sh', '-c', script);
    const resolve = async (): Promise<ContainerRun> =>
      eventually(async () => {
        const pod = await kubectlJson<V1Pod>('-n', namespace.name, 'get', 'pod', name);
        const state = pod.status?.containerStatuses?.[0];
        if (state?.containerID === undefined) throw new Error('The container has not started');
        return { namespace: namespace.name, pod: name, container: state.name, run: state.containerID };
      });
    const abort = new AbortController();
    const lines: string[] = [];
    let runs = 0;
    for await (const item of followLogs({ kube, resolve, signal: abort.signal })) {
      if (item.kind === 'run') runs++;
      if (item.kind === 'line') lines.push(item.text.trim());
      if (runs === 2 && lines.length === 80) break;
    }
    const expected = Array.from({ length: 40 }, (_none, index) => String(index + 1));
    expect(lines).toEqual([...expected, ...expected]);
  });
});
