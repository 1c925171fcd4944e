import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { apply, kubectl, makeNamespace } from '../support/kubectl.ts';
import { RunningSlipway } from '../support/slipway.ts';
import { webDeployment } from '../support/workloads.ts';

describe('a program below the restart helper', () => {
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;
  let scratch: string;
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-restart-'));
    namespace = await makeNamespace('e2e-s5-restart');
    await apply(webDeployment(namespace.name, { replicas: 1 }));
  });
  afterAll(async () => {
    rmSync(scratch, { recursive: true, force: true });
    await namespace[Symbol.asyncDispose]();
  });

  it('says before anything is changed that a command is needed', async () => {
    await using dev = new RunningSlipway({ home: join(scratch, 'home') }, [
      ...['dev', '-n', namespace.name, 'deploy/web', '--path', `${scratch}:/app`, '--restart-on-upload'],
    ]);
    expect(await dev.exited).toBe(2);
    expect(dev.events.at(-1)).toMatchObject({ event: 'error', code: 'usage.invalid' });
    const names = await kubectl('-n', namespace.name, 'get', 'deploy', '-o', 'name');
    expect(names.trim()).toBe('deployment.apps/web');
  });

  it('begins after the first sync, starts anew after an upload, keeps its log, and ends with the session', async () => {
    const page = join(scratch, 'index.html');
    writeFileSync(page, 'one\n');
    // Its child ignores SIGTERM and must not outlive it.
    const line =
      'echo "begins with $(cat /app/index.html)"; sh -c "trap \'\' TERM; sleep 7777" & exec httpd -f -p 8080 -h /app';
    await using dev = new RunningSlipway({ home: join(scratch, 'home') }, [
      ...['dev', '-n', namespace.name, 'deploy/web', '--path', `${scratch}:/app`, '--exclude', '/home'],
      ...['--restart-on-upload', '--start-after-sync', '--command', line],
    ]);
    const { pod } = await dev.ready();
    const ns = ['-n', namespace.name];
    const log = () => kubectl(...ns, 'logs', pod, '-c', 'web');
    await eventually(async () =>
      expect(await log()).toBe('slipway: waiting for the first sync\nbegins with one\n'),
    );
    const children = async () =>
      (await kubectl(...ns, 'exec', pod, '-c', 'web', '--', 'ps'))
        .split('\n')
        .filter((row) => row.includes('sleep 7777')).length;
    for (const [index, text] of ['two', 'three'].entries()) {
      writeFileSync(page, `${text}\n`);
      await eventually(async () => expect(await log()).toContain(`begins with ${text}\n`));
      await eventually(() => {
        const told = dev.events.filter((event) => event.event === 'command' && event.state === 'ended');
        expect(told).toHaveLength(index + 1);
      });
    }
    // One shell and its child of the program that runs now.
    expect(await children()).toBeLessThanOrEqual(2);
    const got = await kubectl(
      ...ns,
      'exec',
      pod,
      '-c',
      'web',
      '--',
      'wget',
      '-qO-',
      'http://127.0.0.1:8080/',
    );
    expect(got).toBe('three\n');
    const restarts = '{.status.containerStatuses[0].restartCount}';
    expect(await kubectl(...ns, 'get', 'pod', pod, '-o', `jsonpath=${restarts}`)).toBe('0');
    expect(await dev.stop()).toBe(0);
    expect(await kubectl(...ns, 'get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('1');
  });
});
