import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { bootId, isAlive, processStartTime, killProcess } from './processes.ts';

describe.skipIf(process.platform !== 'linux')('a process', () => {
  it('is known by its number and start, so that a number used again is not taken for it', () => {
    const startTime = processStartTime(process.pid) ?? '';
    const own = { pid: process.pid, startTime, bootId: bootId() };
    expect(isAlive(own)).toBe(true);
    expect(isAlive({ ...own, startTime: '1' })).toBe(false);
    expect(isAlive({ ...own, bootId: 'another boot' })).toBe(false);
  });

  it('has a start that is read right whatever its name', async () => {
    const child = spawn('sh', ['-c', 'printf ") R 1 (" > /proc/$$/comm; echo named; read forever'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    const pid = child.pid as number;
    expect(processStartTime(pid)).toMatch(/^\d+$/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processStartTime(pid)).toBeUndefined();
  });

  it('is gone with its port when the kill returns', async () => {
    const script = `require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    await killProcess(child.pid as number);
    const again = createServer().listen(Number(said.toString()), '127.0.0.1');
    await once(again, 'listening');
    again.close();
  });
});
