import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';

describe('the system clock', () => {
  it('ends a sleep with the reason of the abort', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(sleeping).rejects.toThrow('stopped');
    await expect(systemClock.sleep(1, controller.signal)).rejects.toThrow('stopped');
  });

  it('does not call a disposed timer', async () => {
    let called = false;
    const timer = systemClock.timer(5, () => void (called = true));
    timer[Symbol.dispose]();
    await systemClock.sleep(20);
    expect(called).toBe(false);
  });
});
