import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../tests/support/eventually.ts';
import { restartWrapper } from './restart-wrapper.ts';

for (const shell of ['dash', 'busybox sh', 'bash']) {
  it(`waits in ${shell} for the mark, then becomes the helper with every word of the command as it is`, async () => {
    const base = mkdtempSync(join(tmpdir(), 'slipway-wrapper-'));
    try {
      const [, ...rest] = restartWrapper('abc');
      const [program = '', ...applet] = shell.split(' ');
      const child = spawn(program, [...applet, ...rest, 'node', 'a b', '$HOME', "it's", ''], {
        cwd: base,
        env: { ...process.env, HOME: base },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      let told = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
      await eventually(() => expect(told).toContain('waiting for the first sync'));
      const folder = join(base, '.slipway-abc');
      mkdirSync(folder, { mode: 0o700 });
      const helper = join(folder, 'helper-1');
      writeFileSync(helper, `#!/bin/sh\nprintf '%s\\n' "$$" "$@" >"${base}/words"\nexit 7\n`);
      chmodSync(helper, 0o700);
      writeFileSync(join(folder, 'start'), `${helper}\n`);
      expect(await ended).toBe(7);
      const words = readFileSync(join(base, 'words'), 'utf8').split('\n').slice(0, -1);
      expect(words).toEqual([String(child.pid), 'run', '--', 'node', 'a b', '$HOME', "it's", '']);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
}

it('ends at once when it is told to end while it waits', async () => {
  const [program = '', ...rest] = restartWrapper('never');
  const child = spawn(program, [...rest, 'true'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await new Promise((resolve) => child.stderr.once('data', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
});
