import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { bootId, isAlive, processStartTime, stopProcess } from './processes.ts';

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

  it('is killed when it takes no notice of SIGTERM', async () => {
    const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    const ended = once(child, 'exit');
    await stopProcess(child.pid as number, 100);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('gets to see SIGTERM although it was stopped', async () => {
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    child.kill('SIGSTOP');
    const ended = once(child, 'exit');
    await stopProcess(child.pid as number, 2000);
    expect(await ended).toEqual([null, 'SIGTERM']);
  });
});
