import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loginShellPath } from './login-shell.ts';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'slipway-home-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function pathWith(profile: string, shell: string): Promise<string | undefined> {
  writeFileSync(join(home, '.profile'), profile);
  const environment = { HOME: home, PATH: '/usr/bin:/bin', SHELL: shell };
  return loginShellPath({ environment, timeoutMs: 1500 });
}

describe.each(['/bin/sh', '/bin/bash'])('PATH of the login shell %s', (shell) => {
  it('has what the profile adds', async () => {
    expect(await pathWith('PATH="$HOME/bin:$PATH"\n', shell)).toMatch(new RegExp(`^${home}/bin:`));
  });

  it('is not confused by what a profile prints', async () => {
    expect(await pathWith('echo hello; echo >&2 there\nPATH="/extra:$PATH"\n', shell)).toMatch(/^\/extra:/);
  });

  it('does not wait for an answer that nobody gives', async () => {
    expect(await pathWith('read x\nPATH="/extra:$PATH"\n', shell)).toMatch(/^\/extra:/);
  });

  it('is unknown when the profile becomes another program', async () => {
    expect(await pathWith('exec cat\n', shell)).toBeUndefined();
  });

  it('is unknown when the profile takes too long, and nothing of it stays', async () => {
    const started = performance.now();
    expect(await pathWith(`sleep 47 & echo $! > ${home}/pid; wait\n`, shell)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(3000);
    const pid = Number(readFileSync(join(home, 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

it('PATH of bash has what is set for its interactive shells only', async () => {
  writeFileSync(join(home, '.bashrc'), 'case $- in *i*) PATH="$HOME/bin:$PATH";; esac\n');
  expect(await pathWith('PATH="/extra:$PATH"\n', '/bin/bash')).toMatch(new RegExp(`^${home}/bin:/extra:`));
});

it('PATH of a login shell that does not exist is unknown', async () => {
  expect(await loginShellPath({ environment: { SHELL: '/nonexistent/shell' } })).toBeUndefined();
});

/** Over also when nobody has asked for its exit status yet. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
