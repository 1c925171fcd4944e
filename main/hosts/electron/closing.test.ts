import { EventEmitter } from 'node:events';
import type { App, BrowserWindow, Dialog } from 'electron';
import { expect, test } from 'vitest';
import { guardClosing, type Closing } from './closing.ts';

interface Rig {
  readonly closing: Closing;
  readonly done: string[];
  readonly asked: string[];
  readonly sessions: string[];
  /** Answers the oldest open question. */
  answer(response: number): Promise<void>;
  finishStop(remaining?: readonly string[]): Promise<void>;
  quit(): Promise<'prevented' | 'done'>;
  closeWindow(): Promise<'prevented' | 'done'>;
  /** The window is gone, as after a close that nobody prevented. */
  windowClosed(): Promise<void>;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function rig(options: { sessions: string[]; platform?: NodeJS.Platform; windows?: number }): Rig {
  const app = new EventEmitter();
  const window = new EventEmitter();
  const done: string[] = [];
  const asked: string[] = [];
  const answers: ((response: number) => void)[] = [];
  let stopped: ((remaining: readonly string[]) => void) | undefined;
  const emit = async (from: EventEmitter, name: string): Promise<'prevented' | 'done'> => {
    let prevented = false;
    from.emit(name, { preventDefault: () => (prevented = true) });
    await settle();
    return prevented ? 'prevented' : 'done';
  };
  const quit = (): Promise<'prevented' | 'done'> => emit(app, 'before-quit');
  const closing = guardClosing({
    app: Object.assign(app, {
      quit: () => done.push('quit'),
      exit: () => done.push('exit'),
    }) as unknown as App,
    dialog: {
      showMessageBox: ({ message }: { message: string }) => {
        asked.push(message);
        return new Promise((resolve) =>
          answers.push((response) => resolve({ response, checkboxChecked: false })),
        );
      },
    } as unknown as Dialog,
    sessions: {
      running: () => options.sessions,
      stopAll: () => {
        done.push('stop');
        return new Promise((resolve) => (stopped = resolve));
      },
    },
    platform: options.platform ?? 'linux',
    windows: () => options.windows ?? 1,
  });
  closing.watch(window as unknown as BrowserWindow);
  return {
    closing,
    done,
    asked,
    sessions: options.sessions,
    async answer(response) {
      answers.shift()?.(response);
      await settle();
    },
    async finishStop(remaining = []) {
      options.sessions.length = 0;
      stopped?.(remaining);
      await settle();
    },
    quit,
    closeWindow: () => emit(window, 'close'),
    async windowClosed() {
      options.windows = 0;
      await emit(window, 'closed');
    },
  };
}

test('nothing stands against quitting without sessions', async () => {
  const { quit, closeWindow, done, asked } = rig({ sessions: [] });
  expect(await closeWindow()).toBe('done');
  expect(await quit()).toBe('prevented');
  expect(done).toEqual(['quit']);
  expect(await quit()).toBe('done');
  expect(asked).toEqual([]);
});

test('the last window stays while it asks, and after Cancel everything goes on', async () => {
  const { closeWindow, answer, done, asked } = rig({ sessions: ['web in shop'] });
  expect(await closeWindow()).toBe('prevented');
  expect(asked).toEqual(['One session is running.']);
  await answer(0);
  expect(done).toEqual([]);
});

test('Stop and Quit stops first and quits when that has ended', async () => {
  const { quit, answer, finishStop, done } = rig({ sessions: ['web in shop'] });
  expect(await quit()).toBe('prevented');
  await answer(1);
  expect(done).toEqual(['stop']);
  await finishStop();
  expect(done).toEqual(['stop', 'quit']);
  expect(await quit()).toBe('done');
});

test('what could not be put back is told before the app ends', async () => {
  const { quit, answer, finishStop, done, asked } = rig({ sessions: ['web in shop'] });
  await quit();
  await answer(1);
  await finishStop(['Deployment/web in shop']);
  expect(asked.at(-1)).toBe('Not everything could be put back.');
  expect(done).toEqual(['stop']);
  await answer(0);
  expect(done).toEqual(['stop', 'quit']);
});

test('a second wish to quit asks again, and can leave at once', async () => {
  const { quit, answer, done, asked } = rig({ sessions: ['web in shop'] });
  await quit();
  await quit();
  expect(asked).toHaveLength(1);
  await answer(1);
  await quit();
  expect(asked.at(-1)).toBe('One session is still being stopped.');
  await answer(0);
  expect(done).toEqual(['stop']);
  await quit();
  await answer(1);
  expect(done).toEqual(['stop', 'exit']);
});

test('the last main window ends the app, though detached ones are open', async () => {
  const { closeWindow, windowClosed, quit, done } = rig({ sessions: [] });
  expect(await closeWindow()).toBe('done');
  await windowClosed();
  expect(done).toEqual(['quit']);
  expect(await quit()).toBe('done');
  const mac = rig({ sessions: [], platform: 'darwin' });
  await mac.windowClosed();
  expect(mac.done).toEqual([]);
});

test('a main window that ends without closing asks for the sessions all the same', async () => {
  const { windowClosed, asked, done } = rig({ sessions: ['web in shop'] });
  await windowClosed();
  expect(asked).toEqual(['One session is running.']);
  expect(done).toEqual([]);
});

test('a window that is not the last one closes without a question, as does every one on macOS', async () => {
  expect(await rig({ sessions: ['web'], windows: 2 }).closeWindow()).toBe('done');
  expect(await rig({ sessions: ['web'], platform: 'darwin' }).closeWindow()).toBe('done');
});

test('a signal stops the sessions and asks nobody', async () => {
  const { closing, finishStop, done, asked } = rig({ sessions: ['web in shop'] });
  const ended = closing.stopAndQuit();
  await finishStop(['Deployment/web in shop']);
  await ended;
  expect(done).toEqual(['stop', 'quit']);
  expect(asked).toEqual([]);
});
