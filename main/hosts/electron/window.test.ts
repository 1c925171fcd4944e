import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { expect, test } from 'vitest';
import { FakeContents } from './testing/fake-contents.ts';
import { openWindow, showWindow } from './window.ts';

class FakeWindow extends EventEmitter {
  readonly webContents = new FakeContents();
  readonly calls: string[] = [];
  minimized = false;
  show = (): void => void this.calls.push('show');
  focus = (): void => void this.calls.push('focus');
  restore = (): void => void this.calls.push('restore');
  isMinimized = (): boolean => this.minimized;
  isDestroyed = (): boolean => false;
  loadURL = (url: string): Promise<void> => {
    this.calls.push(url);
    return Promise.resolve();
  };
}

function open(hash?: string): { window: FakeWindow; log: string[]; pages: unknown[] } {
  const window = new FakeWindow();
  const log: string[] = [];
  const pages: unknown[] = [];
  openWindow({
    create: () => window as unknown as BrowserWindow,
    options: {},
    hash,
    accept: (page) => pages.push(page),
    log: (line) => log.push(line),
  });
  return { window, log, pages };
}

test('a window loads its page alone, and is shown when that has painted', () => {
  const { window } = open('#/leftovers');
  expect(window.calls).toEqual(['app://bundle/#/leftovers']);
  window.emit('ready-to-show');
  expect(window.calls.at(-1)).toBe('show');
});

test('a window is locked and connected before it loads', () => {
  const { window, log, pages } = open();
  expect(window.webContents.tryTo('will-navigate', { url: 'https://example.com/' })).toBe('prevented');
  expect(log).toEqual(['refused a navigation: https://example.com/']);
  window.webContents.receive({ frame: 1 });
  expect(pages).toHaveLength(1);
});

test('a page that crashes is loaded again, but not for ever', () => {
  const { window } = open();
  let reloads = 0;
  Object.assign(window.webContents, { reload: () => reloads++ });
  for (let crash = 0; crash < 5; crash++)
    window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  expect(reloads).toBe(3);
});

test('a link changes the page of the window that is there', () => {
  const { window } = open();
  window.minimized = true;
  showWindow(window as unknown as BrowserWindow, '#/settings');
  showWindow(window as unknown as BrowserWindow, undefined);
  expect(window.calls).toEqual([
    'app://bundle/',
    'restore',
    'show',
    'focus',
    'app://bundle/#/settings',
    'restore',
    'show',
    'focus',
  ]);
});
