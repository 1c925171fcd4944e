import { EventEmitter } from 'node:events';
import type { App } from 'electron';
import { expect, test } from 'vitest';
import { claimSingleInstance, type Starts } from './single-instance.ts';

function claim(first: boolean): { app: EventEmitter; starts: Starts | undefined } {
  const app = new EventEmitter();
  Object.assign(app, { requestSingleInstanceLock: () => first });
  return { app, starts: claimSingleInstance(app as unknown as App) };
}

test('a second start is shown by the first one, with its link', () => {
  const { app, starts } = claim(true);
  const links: (string | undefined)[] = [];
  starts?.onStart((link) => links.push(link));
  app.emit('second-instance', {}, ['slipway', '--flag']);
  app.emit('second-instance', {}, ['slipway', 'slipway://leftovers']);
  app.emit('open-url', { preventDefault: () => undefined }, 'slipway://show');
  app.emit('open-url', { preventDefault: () => undefined }, 'https://example.com/');
  expect(links).toEqual([undefined, 'slipway://leftovers', 'slipway://show', undefined]);
});

test('a link that comes before there is a window waits for it', () => {
  const { app, starts } = claim(true);
  const links: (string | undefined)[] = [];
  app.emit('open-url', { preventDefault: () => undefined }, 'slipway://settings');
  app.emit('open-url', { preventDefault: () => undefined }, 'slipway://leftovers');
  starts?.onStart((link) => links.push(link));
  expect(links).toEqual(['slipway://leftovers']);
});

test('who is second gives way and listens to nothing', () => {
  const { app, starts } = claim(false);
  expect(starts).toBeUndefined();
  expect(app.eventNames()).toEqual([]);
});
