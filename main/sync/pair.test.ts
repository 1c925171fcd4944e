import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { diskAncestorFiles } from './ancestor-files.ts';
import { lockPair } from './pair-lock.ts';
import { pairId, parsePairText } from './pair.ts';

describe('LOCAL:REMOTE', () => {
  const rows: Record<string, [string, string]> = {
    './src:/app': ['./src', '/app'],
    '.:/app': ['.', '/app'],
    './src': ['./src', ''],
    ':/app': ['.', '/app'],
    'src:': ['src', ''],
    './conf/a.ini:/etc/app/b.ini': ['./conf/a.ini', '/etc/app/b.ini'],
    '/tmp/My Proj/p:/app': ['/tmp/My Proj/p', '/app'],
    'C:\\work\\src:/app': ['C:\\work\\src', '/app'],
    'c:/work:/app': ['c:/work', '/app'],
    'C:\\work': ['C:\\work', ''],
    'a:relative/x': ['a', 'relative/x'],
  };
  for (const [text, [local, remote]] of Object.entries(rows)) {
    it(text, () => expect(parsePairText(text)).toEqual({ local, remote }));
  }
  for (const text of ['/tmp/x:y/a.ini:/app', 'a:b:c', ':', 'C:\\a:/b:/c', './src:/app/../etc', 'src:../x']) {
    it(`refuses ${text} with the way out`, () => {
      try {
        parsePairText(text);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ code: 'usage.invalid' });
      }
    });
  }
});

it('names the same pair alike and another one differently', () => {
  const identity = {
    cluster: 'c',
    namespace: 'n',
    target: 'deployment/web',
    container: 'main',
    remotePath: '/app',
    localPath: '/p',
  };
  expect(pairId(identity)).toBe(pairId({ ...identity }));
  expect(new Set(Object.keys(identity).map((key) => pairId({ ...identity, [key]: 'other' }))).size).toBe(6);
});

describe('the lock of a pair', () => {
  const identity = {
    cluster: 'c',
    namespace: 'n',
    target: 't',
    container: 'm',
    remotePath: '/app',
    localPath: '/p',
  };
  it('is refused while it is held, naming the process, and free afterwards', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-lock-'));
    const lock = await lockPair(diskAncestorFiles, folder, identity);
    await expect(lockPair(diskAncestorFiles, folder, identity)).rejects.toMatchObject({
      code: 'sync.pair-in-use',
      next: `Stop process ${process.pid} first.`,
    });
    await lock[Symbol.asyncDispose]();
    await (await lockPair(diskAncestorFiles, folder, identity))[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  it('is taken over from a process that is gone, or whose number another one has now', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-lock-'));
    const gone = Number(spawnSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).stdout);
    const { hostname } = await import('node:os');
    for (const content of [
      { pid: gone, host: hostname(), started: '1' },
      { pid: process.pid, host: hostname(), started: '1' },
      'torn',
    ]) {
      writeFileSync(join(folder, 'lock'), typeof content === 'string' ? content : JSON.stringify(content));
      await (await lockPair(diskAncestorFiles, folder, identity))[Symbol.asyncDispose]();
    }
    rmSync(folder, { recursive: true });
  });
});
