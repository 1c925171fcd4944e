import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogBatch, Terminal, TerminalReplay, TerminalSize } from '../../contract/terminals.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { apply, kubectl, kubectlJson, makeNamespace, testKubeconfig } from '../../tests/support/kubectl.ts';
import { webDeployment } from '../../tests/support/workloads.ts';
import { systemClock } from '../base/clock.ts';
import { Emitter } from '../base/event.ts';
import { composeTerminals } from '../compose-terminals.ts';
import type { Clusters } from '../clusters/clusters.ts';
import { createKube } from '../kube/client.ts';
import type { Kube } from '../kube/kube.ts';
import { loadKubeconfig } from '../kube/kubeconfig-load.ts';
import { selectContext } from '../kube/kubeconfig-select.ts';
import { createStreams } from '../kube/streams/streams.ts';

const size: TerminalSize = { columns: 80, rows: 24 };

describe('shells and logs of a window on a real cluster', () => {
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;
  let kube: Kube;
  let handlers: ReturnType<typeof composeTerminals>;

  beforeAll(async () => {
    namespace = await makeNamespace('e8-terminals');
    const environment = { KUBECONFIG: testKubeconfig(), PATH: process.env['PATH'] };
    kube = createKube({
      selection: selectContext(await loadKubeconfig({ environment }), {}),
      environment,
      streams: createStreams,
      review: () => async () => ({ kind: 'unknown', reason: '' }),
    });
    const clusters: Pick<Clusters, 'kube' | 'kubeFor'> = {
      kube: async () => kube,
      kubeFor: async () => kube,
    };
    const sessions = { containerOf: () => Promise.reject(new Error('There is no session')) };
    handlers = composeTerminals({ clusters, sessions, clock: systemClock });
    await apply(webDeployment(namespace.name, { replicas: 1 }));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=60s');
  });

  afterAll(async () => {
    await handlers[Symbol.asyncDispose]();
    await kube[Symbol.asyncDispose]();
    await namespace[Symbol.asyncDispose]();
  });

  async function podName(): Promise<string> {
    const { items } = await kubectlJson<{ items: V1Pod[] }>(
      '-n',
      namespace.name,
      'get',
      'pods',
      '-l',
      'app=web',
    );
    const pod = items.find(
      (item) => item.metadata?.deletionTimestamp === undefined && item.status?.phase === 'Running',
    );
    if (pod === undefined) throw new Error('No pod runs');
    return pod.metadata?.name ?? '';
  }

  async function open(): Promise<string> {
    const target = { kind: 'pod', cluster: 'test', namespace: namespace.name, pod: await podName() } as const;
    const { signal } = new AbortController();
    return (await handlers['terminals.open']({ target, size }, { signal })).terminal;
  }

  const terminalOf = (id: string): Terminal | undefined => handlers['terminals.list']({}).value.items[id];
  const reaches = (id: string, state: Terminal['state']): Promise<Terminal> =>
    eventually(() => {
      const terminal = terminalOf(id);
      if (terminal?.state !== state) throw new Error(JSON.stringify(terminal));
      return terminal;
    }, 30_000);

  function window(id: string) {
    const abort = new AbortController();
    const messages = new Emitter<Uint8Array<ArrayBuffer> | { size: TerminalSize }>();
    const window = {
      text: '',
      bytes: 0,
      replay: -1,
      error: undefined as unknown,
      ended: false,
      /** Whether output is taken; otherwise it is held back. */
      taking: Promise.withResolvers<void>(),
      type: (text: string) => messages.fire(Buffer.from(text)),
      resize: (next: TerminalSize) => messages.fire({ size: next }),
      close: () => abort.abort(new Error('closed')),
      sees: (pattern: RegExp) =>
        eventually(() => {
          if (!pattern.test(window.text))
            throw new Error(`Not seen in ${JSON.stringify(window.text.slice(-2000))}`);
        }, 20_000),
    };
    window.taking.resolve();
    const send = async (message: Uint8Array | TerminalReplay): Promise<void> => {
      await window.taking.promise;
      if (message instanceof Uint8Array) {
        window.text = (window.text + Buffer.from(message).toString()).slice(-20_000);
        window.bytes += message.length;
      } else window.replay = message.replay;
    };
    handlers['terminals.attach'](
      { terminal: id },
      { signal: abort.signal, ready: true, send, onMessage: messages.event },
    ).then(
      () => (window.ended = true),
      (error: unknown) => (window.error = error),
    );
    return window;
  }

  it('runs a shell, knows its size and how it ended', async () => {
    const id = await open();
    const first = window(id);
    await reaches(id, 'open');
    first.type('stty size; echo $TERM\r');
    await first.sees(/24 80\s+xterm-256color/);
    first.resize({ columns: 132, rows: 43 });
    first.type('stty size\r');
    await first.sees(/43 132/);
    first.type('exit 7\r');
    expect(await reaches(id, 'ended')).toMatchObject({ code: 7 });
    await handlers['terminals.restart']({ terminal: id, size }, { signal: new AbortController().signal });
    await reaches(id, 'open');
    first.type('echo again-$((1+1))\r');
    await first.sees(/43 132[^]*again-2/);
    await handlers['terminals.close']({ terminal: id }, { signal: new AbortController().signal });
    await eventually(() => expect(first.ended).toBe(true));
    expect(terminalOf(id)).toBeUndefined();
  });

  it('shows one shell to two windows, and what was before to a third', async () => {
    const id = await open();
    const one = window(id);
    const two = window(id);
    await reaches(id, 'open');
    one.type('echo from-$((40+2))\r');
    await one.sees(/from-42/);
    await two.sees(/from-42/);
    one.close();
    two.close();
    const three = window(id);
    await three.sees(/from-42/);
    expect(three.replay).toBeGreaterThan(0);
    three.type('echo to-$((40+3))\r');
    await three.sees(/to-43/);
    await handlers['terminals.close']({ terminal: id }, { signal: new AbortController().signal });
  });

  it('interrupts a flood that the window does not take', async () => {
    const id = await open();
    const shell = window(id);
    await reaches(id, 'open');
    shell.type('yes\r');
    await shell.sees(/y\r\ny\r\ny/);
    await eventually(() => expect(shell.bytes).toBeGreaterThan(4 * 1024 * 1024));
    shell.taking = Promise.withResolvers();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const held = shell.bytes;
    shell.type('\x03');
    await new Promise((resolve) => setTimeout(resolve, 500));
    const started = performance.now();
    shell.taking.resolve();
    shell.type('echo over-$((1+1))\r');
    await eventually(() => expect(shell.text).toMatch(/over-2/), 20_000, 5);
    const tookMs = performance.now() - started;
    const waited = shell.bytes - held;
    process.stderr.write(`${waited} bytes were on their way; the answer took ${Math.round(tookMs)} ms\n`);
    expect(waited).toBeLessThan(1024 * 1024);
    expect(tookMs).toBeLessThan(5_000);
    await handlers['terminals.close']({ terminal: id }, { signal: new AbortController().signal });
  });

  it('ends what runs in the shell when it is closed', async () => {
    const id = await open();
    const shell = window(id);
    await reaches(id, 'open');
    shell.type('sleep 4242\r');
    const processes = async () => kubectl('-n', namespace.name, 'exec', await podName(), '--', 'ps');
    await eventually(async () => expect(await processes()).toMatch(/sleep 4242/));
    await handlers['terminals.close']({ terminal: id }, { signal: new AbortController().signal });
    await eventually(async () => expect(await processes()).not.toMatch(/sleep 4242/));
  });

  it('tells that the container went away', async () => {
    const id = await open();
    const shell = window(id);
    await reaches(id, 'open');
    shell.type('echo kept-$((1+1))\r');
    await shell.sees(/kept-2/);
    await kubectl('-n', namespace.name, 'delete', 'pod', terminalOf(id)?.pod ?? '', '--grace-period=1');
    const lost = await reaches(id, 'lost');
    expect(lost.error?.code).toBe('stream.lost');
    await handlers['terminals.restart']({ terminal: id, size }, { signal: new AbortController().signal });
    expect((await reaches(id, 'lost')).error?.message).toMatch(/./);
    const later = window(id);
    await later.sees(/kept-2/);
    await handlers['terminals.close']({ terminal: id }, { signal: new AbortController().signal });
  });

  it('follows a log that floods without a gap', { timeout: 180_000 }, async () => {
    // As many lines as the node keeps in one file: it drops the oldest of a log that is longer.
    const lines = 100_000;
    const name = `flood-${randomBytes(3).toString('hex')}`;
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: namespace.name },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'flood',
            image: 'sandbox/web:1',
            command: ['sh', '-c', `seq 1 ${lines} | sed "s/$/ of a busy service/"; exec sleep 600`],
          },
        ],
      },
    });
    const abort = new AbortController();
    let next = 1;
    const marks: LogBatch[] = [];
    const gaps: string[] = [];
    let startedMs = 0;
    const send = async (batch: LogBatch): Promise<void> => {
      if (startedMs === 0) startedMs = performance.now();
      if (batch.run !== undefined || batch.interrupted !== undefined) marks.push(batch);
      for (const { text } of batch.lines) {
        if (text !== `${next} of a busy service`) gaps.push(`${text} instead of ${next}`);
        next = Number(text.split(' ')[0]) + 1;
      }
    };
    await kubectl('-n', namespace.name, 'wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s');
    const target = {
      kind: 'workload',
      cluster: 'test',
      namespace: namespace.name,
      workload: 'Pod',
      name,
    } as const;
    const following = handlers['logs.follow'](
      { target, tailLines: lines },
      { signal: abort.signal, ready: true, send, onMessage: new Emitter<never>().event },
    );
    following.catch(() => undefined);
    await eventually(() => expect(next).toBe(lines + 1), 120_000);
    process.stderr.write(`log: ${Math.round(performance.now() - startedMs)} ms\n`);
    abort.abort(new Error('closed'));
    await expect(following).rejects.toThrow('closed');
    expect(marks.map(({ run }) => run)).toEqual([{ pod: name, container: 'flood' }]);
    // The first line may be anyone's: the node keeps and sends only the latest ones.
    expect(gaps.slice(1)).toEqual([]);
  });
});
