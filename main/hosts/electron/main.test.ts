import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { DownFrame } from '../../../contract/wire.ts';
import type { fakeElectron } from './testing/fake-electron.ts';

const electron = vi.hoisted(() => ({ fake: undefined as ReturnType<typeof fakeElectron> | undefined }));
vi.mock('electron', async () => {
  const { fakeElectron: make } = await import('./testing/fake-electron.ts');
  electron.fake = make();
  return electron.fake.module;
});

const home = mkdtempSync(join(tmpdir(), 'slipway-desktop-'));
const environment = { ...process.env };
beforeAll(async () => {
  Object.assign(process.env, { SLIPWAY_HOME: home, KUBECONFIG: join(home, 'none'), HOME: home });
  await import('./main.ts');
});
afterAll(() => {
  process.env = environment;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal);
  rmSync(home, { recursive: true, force: true });
});

function fake(): ReturnType<typeof fakeElectron> {
  if (electron.fake === undefined) throw new Error('electron was not asked for');
  return electron.fake;
}

test('every page is in a sandbox, and the scheme is known before the app is ready', async () => {
  const { told, windows, becomeReady } = fake();
  expect(told).toEqual(['scheme', 'sandbox', 'lock']);
  becomeReady();
  await expect.poll(() => windows.length).toBe(1);
  expect(told).toEqual([
    'scheme',
    'sandbox',
    'lock',
    'ready',
    'handle app',
    'permission requests',
    'permission checks',
    'device permissions',
    'menu',
    'window',
  ]);
  const [window] = windows;
  expect(window?.loaded).toEqual(['app://bundle/']);
  expect(window?.options['webPreferences']).toMatchObject({ sandbox: true, contextIsolation: true });
});

test('the page is answered by the contract, as in the browser', async () => {
  const contents = fake().windows[0]!.webContents;
  contents.receive({ frame: { t: 'watch', id: 1, name: 'app.info', params: {} } });
  const frames = contents.sent as DownFrame[];
  await expect
    .poll(() => frames.find((frame) => frame.t === 'snapshot'))
    .toMatchObject({ id: 1, value: { host: 'desktop', nativeFolderDialog: true } });
  contents.receive({
    frame: { t: 'call', id: 2, name: 'app.openExternal', input: { url: 'file:///etc/passwd' } },
  });
  await expect
    .poll(() => frames.find((frame) => frame.t === 'error' && frame.id === 2))
    .toMatchObject({ error: { code: 'usage.invalid' } });
});

test('another start shows its link in the window that is there', async () => {
  const { module, windows } = fake();
  module.app.emit('second-instance', {}, ['slipway', 'slipway://settings/tools']);
  expect(windows.map(({ loaded }) => loaded)).toEqual([['app://bundle/', 'app://bundle/#/settings/tools']]);
});

test('a terminal or a log gets a window of its own, and nothing else does', async () => {
  const { windows } = fake();
  const [first] = windows;
  const contents = first!.webContents;
  const frames = contents.sent as DownFrame[];
  const ask = (id: number, hash: string): void =>
    contents.receive({ frame: { t: 'call', id, name: 'app.openWindow', input: { hash } } });
  const refused = [
    '#/settings',
    'https://example.com/',
    '#/terminal/../settings',
    '#/log/workload/c1/shop/Secret/x',
  ];
  refused.forEach((hash, index) => ask(10 + index, hash));
  ask(20, '#/terminal/t1');
  await expect.poll(() => frames.find((frame) => frame.t === 'result' && frame.id === 20)).toBeDefined();
  for (const index of refused.keys())
    expect(frames.find((frame) => frame.t === 'error' && frame.id === 10 + index)).toBeDefined();
  expect(windows.map(({ loaded }) => loaded.at(-1))).toEqual([
    'app://bundle/#/settings/tools',
    'app://bundle/#/terminal/t1',
  ]);
  expect(windows[1]?.options['webPreferences']).toEqual(first?.options['webPreferences']);
  expect(windows[1]?.webContents.openHandler?.({ url: 'app://bundle/#/terminal/t1' })).toEqual({
    action: 'deny',
  });
});

test('each window has a connection of its own, and no other one can use it', async () => {
  const [first, detached] = fake().windows;
  const before = first!.webContents.sent.length;
  const watch = { frame: { t: 'watch', id: 1, name: 'app.info', params: {} } };
  detached!.webContents.receive(watch, { sender: { id: first!.webContents.id } });
  detached!.webContents.receive(watch, { senderFrame: { url: 'https://example.com/', parent: null } });
  expect(detached!.webContents.sent).toEqual([]);
  detached!.webContents.receive(watch);
  const frames = detached!.webContents.sent as DownFrame[];
  await expect.poll(() => frames.find((frame) => frame.t === 'snapshot')).toMatchObject({ id: 1 });
  expect(first!.webContents.sent).toHaveLength(before);
});

test('another start is never shown in a detached window, though that one has the focus', () => {
  const { module, windows, focus } = fake();
  focus(windows[1]);
  module.app.emit('second-instance', {}, ['slipway', 'slipway://leftovers']);
  expect(windows[0]?.loaded.at(-1)).toBe('app://bundle/#/leftovers');
  expect(windows[1]?.loaded).toEqual(['app://bundle/#/terminal/t1']);
  focus(undefined);
});

test('a detached window closes by itself, and the app goes on', () => {
  const { told, windows } = fake();
  expect(windows[1]?.close()).toBe('done');
  expect(told).not.toContain('quit');
});

test('without sessions the app quits when it is asked to', async () => {
  const { module, told } = fake();
  let prevented = 0;
  const event = { preventDefault: () => prevented++ };
  module.app.emit('before-quit', event);
  await expect.poll(() => told.at(-1)).toBe('quit');
  module.app.emit('before-quit', event);
  expect(prevented).toBe(1);
});
