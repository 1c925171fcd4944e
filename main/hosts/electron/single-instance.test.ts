import { EventEmitter } from 'node:events';
import type { App } from 'electron';
import { expect, test } from 'vitest';
import { claimSingleInstance } from './single-instance.ts';

function claim(first: boolean): { app: EventEmitter; claimed: boolean; starts: (string | undefined)[] } {
  const app = new EventEmitter();
  const starts: (string | undefined)[] = [];
  const claimed = claimSingleInstance(
    Object.assign(app, { requestSingleInstanceLock: () => first }) as unknown as App,
    { onStart: (link) => starts.push(link) },
  );
  return { app, claimed, starts };
}

test('a second start is shown by the first one, with its link', () => {
  const { app, claimed, starts } = claim(true);
  expect(claimed).toBe(true);
  app.emit('second-instance', {}, ['slipway', '--flag']);
  app.emit('second-instance', {}, ['slipway', 'slipway://leftovers']);
  app.emit('open-url', { preventDefault: () => undefined }, 'slipway://show');
  app.emit('open-url', { preventDefault: () => undefined }, 'https://example.com/');
  expect(starts).toEqual([undefined, 'slipway://leftovers', 'slipway://show', undefined]);
});

test('who is second gives way and listens to nothing', () => {
  const { app, claimed } = claim(false);
  expect(claimed).toBe(false);
  expect(app.eventNames()).toEqual([]);
});
