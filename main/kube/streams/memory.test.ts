import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { exec } from './exec.ts';
import { localTransport } from './fake-server.ts';
import { floodInput, stallThenRead } from './memory-probe.ts';

const target = { namespace: 'shop', pod: 'web-1' };

describe('the memory of a stream', () => {
  let flood: ChildProcess;
  let port = 0;

  beforeAll(async () => {
    flood = fork(fileURLToPath(new URL('flood-server.ts', import.meta.url)), {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    if (flood.stdout === null) throw new Error('The flooding server has no output');
    port = Number(String(await once(flood.stdout, 'data')));
  });

  afterAll(() => {
    flood.disconnect();
  });

  const dependencies = () => ({ transport: localTransport(port), clock: systemClock });

  // A plain socket read for the first time lets Node's own buffers grow by 40 MB: that is not what is measured.
  beforeAll(async () => {
    await stallThenRead(await exec(dependencies(), target, { command: ['send', '256'] }), 0);
  });

  it('grows by less than 30 MB when a reader stalls for 10 seconds and then reads 256 MB', async () => {
    const stream = await exec(dependencies(), target, { command: ['send', '256'] });
    const measured = await stallThenRead(stream, 10_000);
    expect(measured.bytes).toBe(256 * 1024 * 1024);
    expect(measured.grownBytes).toBeLessThan(30e6);
    expect(await stream.status).toEqual({ kind: 'exited', code: 0 });
  });

  it('grows by less than 30 MB when 256 MB are written to a command that reads nothing for 10 seconds', async () => {
    const stream = await exec(dependencies(), target, { command: ['receive', '0', '10000'], stdin: true });
    const measured = await floodInput(stream, 256);
    expect(measured.output).toBe(String(256 * 1024 * 1024));
    expect(measured.grownBytes).toBeLessThan(30e6);
  });
}, 60_000);
