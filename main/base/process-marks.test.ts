import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProcessMarks, ownSystem, type ProcessSystem } from './process-marks.ts';

const machine = '0123456789abcdef0123456789abcdef';

function stat(pid: number, { start = 500, state = 'S', threads = 11 } = {}): string {
  const before = '1 1 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0';
  return `${pid} (a (bad) name) ${state} ${before} ${threads} 0 ${start} 1000 200 1`;
}

interface World {
  readonly files?: Readonly<Record<string, string | undefined>>;
  readonly links?: Readonly<Record<string, string | undefined>>;
  readonly gone?: readonly number[];
  readonly pid?: number;
  readonly platform?: NodeJS.Platform;
}

function system({ files, links, gone = [], pid = 10, platform = 'linux' }: World = {}): ProcessSystem {
  const all: Readonly<Record<string, string | undefined>> = {
    '/etc/machine-id': `${machine}\n`,
    '/proc/sys/kernel/random/boot_id': 'boot-one\n',
    '/proc/10/stat': stat(10),
    ...files,
  };
  const followed: Readonly<Record<string, string | undefined>> = {
    '/proc/self/ns/pid': 'pid:[1]',
    '/proc/self/ns/time': 'time:[1]',
    ...links,
  };
  return {
    pid,
    platform,
    read: (path) => all[path],
    follow: (path) => followed[path],
    look: (number) => (gone.includes(number) ? 'gone' : 'there'),
  };
}

const mark = createProcessMarks(system()).own ?? '';

describe('the mark of a process', () => {
  it('is the same for the same process and names no machine', () => {
    expect(createProcessMarks(system()).own).toBe(mark);
    expect(mark).toMatch(/^[0-9a-f]{32}\.10\.500$/);
    expect(mark).not.toContain(machine);
  });

  it.each<[string, World]>([
    ['another system than Linux', { platform: 'darwin' }],
    ['a machine without an identity', { files: { '/etc/machine-id': undefined } }],
    ['a machine that was never set up', { files: { '/etc/machine-id': 'uninitialized\n' } }],
    ['no word on the start of the machine', { files: { '/proc/sys/kernel/random/boot_id': undefined } }],
    ['no word on the namespace of processes', { links: { '/proc/self/ns/pid': undefined } }],
    ['no word on the namespace of times', { links: { '/proc/self/ns/time': undefined } }],
    ['no word on the start of the process', { files: { '/proc/10/stat': undefined } }],
  ])('is not made on %s', (_name, world) => {
    expect(createProcessMarks(system(world)).own).toBeUndefined();
  });
});

describe('the process of a mark', () => {
  const alive = { '/proc/10/stat': stat(10), '/proc/20/stat': stat(20) };
  it.each<[string, boolean, World]>([
    ['runs', false, {}],
    ['is not there any more', true, { gone: [10] }],
    [
      'has a number that is another process by now',
      true,
      { files: { '/proc/10/stat': stat(10, { start: 501 }) } },
    ],
    [
      'was killed and is not reaped yet',
      true,
      { files: { '/proc/10/stat': stat(10, { state: 'Z', threads: 1 }) } },
    ],
    [
      'has lost its first thread only',
      false,
      { files: { '/proc/10/stat': stat(10, { state: 'Z', threads: 2 }) } },
    ],
    ['is stopped', false, { files: { '/proc/10/stat': stat(10, { state: 'T' }) } }],
    ['may not be looked at', false, { files: { '/proc/10/stat': undefined } }],
    [
      'is of another start of the machine',
      false,
      { files: { '/proc/sys/kernel/random/boot_id': 'two' }, gone: [10] },
    ],
    [
      'is of another machine of that name',
      false,
      { files: { '/etc/machine-id': 'f'.repeat(32) }, gone: [10] },
    ],
    ['is of another container', false, { links: { '/proc/self/ns/pid': 'pid:[2]' }, gone: [10] }],
    ['counts time in another way', false, { links: { '/proc/self/ns/time': 'time:[2]' }, gone: [10] }],
    ['is asked for where there are no marks', false, { platform: 'win32', gone: [10] }],
  ])('%s: has ended %s', (_name, ended, world) => {
    const asked = system({ ...world, files: { ...alive, ...world.files }, pid: 20 });
    expect(createProcessMarks(asked).hasEnded(mark)).toBe(ended);
  });

  it.each([
    '',
    'x',
    mark.replace('.10.', '.-1.'),
    mark.replace('.10.', '.0.'),
    `${mark}.1`,
    `${mark}\n`,
    ` ${mark}`,
  ])('%j is no mark and says nothing', (text) => {
    expect(createProcessMarks(system({ gone: [10, 0, -1] })).hasEnded(text)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('is told of real processes', async () => {
    const marks = createProcessMarks();
    const { own = '' } = marks;
    expect(own).toMatch(/^[0-9a-f]{32}\./);
    expect(marks.hasEnded(own)).toBe(false);
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const started = createProcessMarks({ ...ownSystem, pid: child.pid ?? 0 }).own ?? '';
    expect(marks.hasEnded(started)).toBe(false);
    child.kill('SIGKILL');
    await expect.poll(() => marks.hasEnded(started)).toBe(true);
  });
});
