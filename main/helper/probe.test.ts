import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArchitecture } from './elf.ts';
import { parseProbe, probeScript } from './probe.ts';

const elf = Buffer.from('7f454c4602010100000000000000000003003e00', 'hex');

describe('the answer of a probe', () => {
  it('is awaited until the binary has begun', () => {
    const whole = Buffer.concat([Buffer.from('gzip=yes\nskipped=/tmp: no\nstate=new\nfolder=/dev/shm/x\n'), elf]);
    for (let length = 0; length < whole.length; length += 1) {
      expect(parseProbe(whole.subarray(0, length), false)).toBeUndefined();
    }
    expect(parseProbe(whole, false)).toEqual({
      gzip: true,
      skipped: ['/tmp: no'],
      found: { folder: '/dev/shm/x', existed: false, architecture: 'amd64' },
    });
  });

  it.each([
    ['gzip=yes\nfolder=relative\n', 'The shell named a folder that is none'],
    ['gzip=yes\nfolder=/a\u0007b\n', 'The shell named a folder that is none'],
    [`gzip=yes\nfolder=/a\n#!/bin/sh${' '.repeat(80)}`, 'The kind of CPU cannot be told'],
    ['welcome to this machine\n', 'The shell answered "welcome to this machine"'],
    ['', 'The shell gave no answer'],
  ])('is refused: %j', (text, error) => expect(parseProbe(Buffer.from(text), true)).toBe(error));

  it('is bounded', () => {
    expect(parseProbe(Buffer.alloc(100_000, 'x'), false)).toBe('The shell gave no answer');
  });
});

it('the CPU is that of real binaries', () => {
  const expected = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  expect(readArchitecture(execFileSync('head', ['-c', '20', process.execPath]))).toBe(expected);
  expect(readArchitecture(Buffer.from('#!/bin/sh\nexit 0\n\n\n\n'))).toBeUndefined();
});

describe.skipIf(process.platform !== 'linux')('the probe in a real shell', () => {
  const name = `.slipway-probe-${process.pid}`;
  const probe = (home: string): ReturnType<typeof parseProbe> =>
    parseProbe(
      // Only the last candidates are ours to arrange, so the first ones are taken out.
      execFileSync('sh', ['-c', probeScript.replace('/tmp /dev/shm /var/tmp', ''), 'sh', name], {
        cwd: '/proc',
        env: { PATH: process.env['PATH'], HOME: home },
      }),
      true,
    );

  it('makes a private folder once and finds it again', () => {
    const home = mkdtempSync(join(tmpdir(), 'slipway probe '));
    try {
      expect(probe(home)).toMatchObject({ found: { folder: join(home, name), existed: false } });
      expect(execFileSync('stat', ['-c', '%a', join(home, name)], { encoding: 'utf8' })).toBe('700\n');
      expect(probe(home)).toMatchObject({ found: { folder: join(home, name), existed: true } });
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  it('does not take over a link that somebody laid', () => {
    const home = mkdtempSync(join(tmpdir(), 'slipway-probe-'));
    try {
      mkdirSync(join(home, 'elsewhere'));
      symlinkSync('elsewhere', join(home, name));
      expect(probe(home)).toMatchObject({ found: undefined });
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
