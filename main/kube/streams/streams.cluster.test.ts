import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl, makeNamespace, testKubeconfig } from '../../../tests/support/kubectl.ts';
import { systemClock } from '../../base/clock.ts';
import type { ExecOptions, ExecStream, Kube } from '../kube.ts';
import { connectFiles } from '../testing/connect.ts';
import type { KubeTransport } from '../transport.ts';
import { exec } from './exec.ts';
import { floodInput, stallThenRead } from './memory-probe.ts';
import { createStreams } from './streams.ts';

const megabytes256 = 256 * 1024 * 1024;

describe('streams of a real cluster', () => {
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;
  let transport: KubeTransport;
  let kube: Pick<Kube, 'exec' | 'attach' | 'forward' | 'logs'>;

  beforeAll(async () => {
    namespace = await makeNamespace('ks-streams');
    transport = await connectFiles({ KUBECONFIG: testKubeconfig(), PATH: process.env['PATH'] });
    kube = createStreams(transport);
    await kubectl('-n', namespace.name, 'create', 'serviceaccount', 'default').catch(() => '');
    await kubectl('-n', namespace.name, 'run', 'web', '--image=sandbox/web:1');
    await runTalker('talker');
    await kubectl('-n', namespace.name, 'wait', '--for=condition=Ready', 'pod', '--all', '--timeout=60s');
  });

  afterAll(async () => {
    await namespace[Symbol.asyncDispose]();
    await transport[Symbol.asyncDispose]();
  });

  const runTalker = (pod: string): Promise<string> => {
    // Not attached to by kubectl: whoever attaches first uses the input up.
    const command = [
      '--stdin',
      '--attach=false',
      '--leave-stdin-open',
      '--',
      'sh',
      '-c',
      'echo one; echo two; cat',
    ];
    return kubectl('-n', namespace.name, 'run', pod, '--image=sandbox/web:1', ...command);
  };

  const target = (pod = 'web') => ({ namespace: namespace.name, pod });
  const shell = (script: string, options: Omit<ExecOptions, 'command'> = {}): Promise<ExecStream> =>
    kube.exec(target(), { command: ['sh', '-c', script], ...options });

  it('carry 10 MB of input, its end, the digest and the exit code', async () => {
    const input = randomBytes(10 * 1024 * 1024);
    const stream = await kube.exec(target(), { command: ['sha256sum'], stdin: true });
    stream.stdin?.end(input);
    expect(await text(stream.stdout)).toBe(`${createHash('sha256').update(input).digest('hex')}  -\n`);
    expect(await stream.status).toEqual({ kind: 'exited', code: 0 });

    const seven = await shell('cat >/dev/null; exit 7', { stdin: true });
    seven.stdin?.end(input);
    expect(await seven.status).toEqual({ kind: 'exited', code: 7 });
  });

  it('keep output, error output and all of a long output apart from the status', async () => {
    const stream = await shell('echo out; echo err >&2; exit 3');
    if (stream.stderr === undefined) throw new Error('Error output is merged into output');
    const parts = await Promise.all([text(stream.stdout), text(stream.stderr), stream.status]);
    expect(parts).toEqual(['out\n', 'err\n', { kind: 'exited', code: 3 }]);
    const long = await shell('seq 500000; exit 5');
    const numbers = Array.from({ length: 500_000 }, (_none, index) => `${index + 1}\n`).join('');
    expect((await text(long.stdout)) === numbers).toBe(true);
    expect(await long.status).toEqual({ kind: 'exited', code: 5 });
  });

  it('say that a program cannot be run, and that a pod is not there', async () => {
    const stream = await kube.exec(target(), { command: ['no-such-program'] });
    expect(await stream.status).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('no-such-program') as string,
    });
    const missing = { code: 'cluster.not-found', causeText: 'pods "gone" not found' };
    await expect(kube.exec(target('gone'), { command: ['true'] })).rejects.toMatchObject(missing);
    await expect(kube.forward({ ...target('gone'), port: 80 })).rejects.toMatchObject(missing);
    await expect(kube.logs(target('gone'))).rejects.toMatchObject(missing);
  });

  it('work with servers that do not know the end of input', async () => {
    const protocols = ['v4.channel.k8s.io'];
    const input = randomBytes(1024 * 1024);
    const command = ['sh', '-c', `head -c ${input.length} | sha256sum; exit 5`];
    const stream = await exec({ transport, clock: systemClock, protocols }, target(), {
      command,
      stdin: true,
    });
    expect(stream.canHalfClose).toBe(false);
    stream.stdin?.write(input);
    expect(await text(stream.stdout)).toBe(`${createHash('sha256').update(input).digest('hex')}  -\n`);
    expect(await stream.status).toEqual({ kind: 'exited', code: 5 });
  });

  it('give a terminal its size, at first and later', async () => {
    const stream = await kube.exec(target(), { command: ['sh'], stdin: true, tty: true });
    stream.resize({ columns: 195, rows: 41 });
    stream.stdin?.write('stty size; read line; stty size; exit 4\n');
    let output = '';
    stream.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes('41 195') || output.includes('30 100')) return;
      stream.resize({ columns: 100, rows: 30 });
      setTimeout(() => stream.stdin?.write('\n'), 200);
    });
    expect(await stream.status).toEqual({ kind: 'exited', code: 4 });
    await once(stream.stdout, 'close');
    expect(output).toContain('30 100');
  });

  it('attach to the process of the container', async () => {
    const pod = `listener-${randomBytes(3).toString('hex')}`;
    await runTalker(pod);
    await kubectl('-n', namespace.name, 'wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=60s');
    const stream = await kube.attach(target(pod), { stdin: true });
    stream.stdin?.write('to the container\n');
    expect(String(await once(stream.stdout, 'data'))).toBe('to the container\n');
    stream.kill();
  });

  it('forward to a port, and say what is wrong when nobody listens there', async () => {
    const page = await kube.forward({ ...target(), port: 8080 });
    page.write('GET / HTTP/1.0\r\n\r\n');
    expect(await text(page)).toMatch(/^HTTP\/1\.[01] 200 OK/);
    const nobody = await kube.forward({ ...target(), port: 9 });
    await expect(text(nobody)).rejects.toMatchObject({
      code: 'stream.refused',
      causeText: expect.stringContaining('connection refused') as string,
    });
  });

  it('read logs to their end, and follow them', async () => {
    const whole = await text(await kube.logs(target('talker')));
    expect(whole).toMatch(/^one\ntwo\n/);
    const stamped = await text(await kube.logs(target('talker'), { timestamps: true, tailLines: 1 }));
    expect(stamped).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z .*\n$/);
    expect(whole.endsWith(stamped.slice(stamped.indexOf(' ') + 1))).toBe(true);
    const abort = new AbortController();
    const following = await kube.logs(target('talker'), { follow: true, signal: abort.signal });
    expect(String(await once(following, 'data'))).toMatch(/^one\n/);
    abort.abort();
    await expect(text(following)).rejects.toBe(abort.signal.reason);
    await expect(kube.logs(target(), { previous: true })).rejects.toMatchObject({
      causeText: expect.stringContaining('previous terminated container') as string,
    });
  });

  it('lose what they carry, and do not end, when the pod is killed', async () => {
    await kubectl('-n', namespace.name, 'run', 'victim', '--image=sandbox/web:1');
    await kubectl('-n', namespace.name, 'wait', '--for=condition=Ready', 'pod/victim', '--timeout=60s');
    const stream = await kube.exec(target('victim'), { command: ['sleep', '1000'] });
    await kubectl('-n', namespace.name, 'delete', 'pod', 'victim', '--grace-period=0', '--force');
    const status = await stream.status;
    expect(status).not.toEqual({ kind: 'exited', code: 0 });
  });

  it('grow by less than 30 MB when a reader stalls for 10 seconds and then reads 256 MB', async () => {
    const script = `head -c ${megabytes256} /dev/zero; exit 0`;
    const stream = await shell(script);
    const measured = await stallThenRead(stream, 10_000);
    expect(measured.bytes).toBe(megabytes256);
    expect(measured.grownBytes).toBeLessThan(30e6);
    expect(await stream.status).toEqual({ kind: 'exited', code: 0 });
  });

  it('grow by less than 30 MB when 256 MB are written to a command that reads nothing for 10 seconds', async () => {
    const measured = await floodInput(await shell('sleep 10; wc -c', { stdin: true }), 256);
    expect(measured.output).toBe(`${megabytes256}\n`);
    expect(measured.grownBytes).toBeLessThan(30e6);
  });
});
