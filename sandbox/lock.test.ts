import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withLock } from './lock.ts';

describe.skipIf(process.platform !== 'linux')('a lock', () => {
  it('lets one work at a time, and says so to the one who waits', async () => {
    const name = `test/${process.pid}/order`;
    const events: string[] = [];
    const first = withLock({ name }, async () => {
      await sleep(150);
      events.push('first done');
    });
    await sleep(20);
    const onWait = () => events.push('second waits');
    await withLock({ name, onWait }, async () => void events.push('second works'));
    await first;
    expect(events).toEqual(['second waits', 'first done', 'second works']);
  });

  it('is let go when the work fails', async () => {
    const name = `test/${process.pid}/failure`;
    await expect(withLock({ name }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await withLock({ name }, async () => 'free')).toBe('free');
  });

  it('is free at once after its holder was killed', async () => {
    const name = `test/${process.pid}/killed`;
    const script = `import { withLock } from ${JSON.stringify(path.join(import.meta.dirname, 'lock.ts'))};
      await withLock({ name: ${JSON.stringify(name)} }, () => new Promise(() => {
        console.log('held');
        setInterval(() => {}, 1000);
      }));`;
    const holder = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    let waited = false;
    const next = withLock({ name, onWait: () => (waited = true) }, async () => 'mine');
    await sleep(50);
    holder.kill('SIGKILL');
    expect(await next).toBe('mine');
    expect(waited).toBe(true);
  });
});
