import { EventEmitter } from 'node:events';
import type { App } from 'electron';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { endWithApp } from './end-with-app.ts';

function appWith(dispose: () => Promise<void>) {
  const exits: number[] = [];
  let ring = (): void => undefined;
  const app = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
  const clock = {
    timer(milliseconds: number, callback: () => void) {
      ring = callback;
      return systemClock.timer(milliseconds, callback);
    },
  };
  endWithApp(app as unknown as App, { [Symbol.asyncDispose]: dispose }, clock);
  let prevented = 0;
  const quit = (): void => void app.emit('will-quit', { preventDefault: () => (prevented += 1) });
  return { exits, quit, ring: () => ring(), prevented: () => prevented };
}

test('what is open in clusters is ended once before the app goes', async () => {
  const open = Promise.withResolvers<void>();
  let ends = 0;
  const { exits, quit, prevented } = appWith(() => {
    ends += 1;
    return open.promise;
  });
  quit();
  quit();
  expect([ends, prevented(), exits]).toEqual([1, 2, []]);
  open.resolve();
  await expect.poll(() => exits).toEqual([0]);
});

test('the app also goes when that fails, or does not come to an end', async () => {
  const failing = appWith(() => Promise.reject(new Error('no')));
  failing.quit();
  await expect.poll(() => failing.exits).toEqual([0]);
  const stuck = appWith(() => new Promise(() => undefined));
  stuck.quit();
  stuck.ring();
  expect(stuck.exits).toEqual([0]);
});
