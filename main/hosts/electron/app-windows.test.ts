import type { BrowserWindow } from 'electron';
import { expect, test } from 'vitest';
import { AppWindows } from './app-windows.ts';
import { FakeWindow } from './testing/fake-electron.ts';

function rig() {
  const made: { readonly sort: string; readonly hash: string | undefined; readonly window: FakeWindow }[] =
    [];
  const counts: number[] = [];
  const windows: AppWindows = new AppWindows({
    open(sort, hash) {
      const window = new FakeWindow({});
      made.push({ sort, hash, window });
      return window as unknown as BrowserWindow;
    },
    onMain: (window) => window.on('closed', () => counts.push(windows.mainCount)),
  });
  const windowAt = (index: number): BrowserWindow => made[index]?.window as unknown as BrowserWindow;
  return { windows, made, counts, windowAt };
}

test('what is shown is shown in a main window, in the one with the focus if there are several', () => {
  const { windows, made, windowAt } = rig();
  windows.openMain(undefined);
  windows.openMain(undefined);
  windows.openDetached('#/terminal/t1');
  windows.show(windowAt(1), '#/settings');
  windows.show(windowAt(2), '#/leftovers');
  expect(made.map(({ window }) => window.loaded)).toEqual([
    ['app://bundle/#/leftovers'],
    ['app://bundle/#/settings'],
    [],
  ]);
});

test('only main windows count, and one that is closed counts no more when its end is heard of', () => {
  const { windows, made, counts } = rig();
  windows.openMain(undefined);
  windows.openDetached('#/terminal/t1');
  expect(windows.mainCount).toBe(1);
  made[1]?.window.close();
  expect(windows.mainCount).toBe(1);
  made[0]?.window.close();
  expect(counts).toEqual([0]);
});

test('with detached windows alone, what is shown gets a main one', () => {
  const { windows, made, windowAt } = rig();
  windows.openDetached('#/terminal/t1');
  windows.show(windowAt(0), '#/settings');
  expect(made.at(-1)).toMatchObject({ sort: 'main', hash: '#/settings' });
});

test('there are not more detached windows than are of use', () => {
  const { windows, made } = rig();
  for (let count = 0; count < 32; count++) windows.openDetached('#/terminal/t1');
  expect(() => windows.openDetached('#/terminal/t1')).toThrow('There are 32 windows');
  made[0]?.window.close();
  windows.openDetached('#/terminal/t1');
  expect(made).toHaveLength(33);
});
