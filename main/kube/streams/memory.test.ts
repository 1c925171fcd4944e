import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { exec, type ExecDependencies } from './exec.ts';
import { localTransport } from './fake-server.ts';
import { floodInput, stall, stallThenRead } from './memory-probe.ts';

const target = { namespace: 'shop', pod: 'web-1' };
const send = { command: ['send', '256'] };

describe('the memory of a stream', { timeout: 60_000 }, () => {
  let flood: ChildProcess;
  let dependencies: ExecDependencies;

  beforeAll(async () => {
    const script = fileURLToPath(new URL('flood-server.ts', import.meta.url));
    flood = fork(script, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    if (flood.stdout === null) throw new Error('The flooding server has no output');
    dependencies = {
      transport: localTransport(Number(String(await once(flood.stdout, 'data')))),
      clock: systemClock,
    };
  });

  afterAll(() => {
    flood.disconnect();
  });

  it('grows by less than 30 MB while a reader stalls whom 256 MB wait for', async () => {
    await using stream = await exec(dependencies, target, send);
    expect((await stall(stream, 3_000)).grownBytes).toBeLessThan(30e6);
  });

  it('grows by less than 30 MB when the 256 MB are read after that', async () => {
    const stream = await exec(dependencies, target, send);
    const measured = await stallThenRead(stream, 1_000);
    expect(measured.bytes).toBe(256 * 1024 * 1024);
    expect(measured.grownBytes).toBeLessThan(30e6);
    expect(await stream.status).toEqual({ kind: 'exited', code: 0 });
  });

  it('grows by less than 30 MB when 256 MB are written to a command that reads nothing at first', async () => {
    const stream = await exec(dependencies, target, { command: ['receive', '0', '3000'], stdin: true });
    const measured = await floodInput(stream, 256);
    expect(measured.output).toBe(String(256 * 1024 * 1024));
    expect(measured.grownBytes).toBeLessThan(30e6);
  });
});
