import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorValue } from '../../contract/errors.ts';
import { systemClock } from '../base/clock.ts';
import { createProcessMarks } from '../base/process-marks.ts';
import { diskStateFiles } from '../base/state-files.ts';
import { openSettings, readSettings, type SettingsStore } from './settings-store.ts';

const processes = createProcessMarks();

describe('settings', () => {
  let home = '';
  let path = '';
  const notices: ErrorValue[] = [];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'slipway-settings-'));
    path = join(home, 'settings.json');
    notices.length = 0;
  });
  afterEach(() => {
    chmodSync(home, 0o700);
    rmSync(home, { recursive: true });
  });

  const open = (): Promise<SettingsStore> =>
    openSettings({
      home,
      files: diskStateFiles,
      clock: systemClock,
      processes,
      onDamage: (notice) => notices.push(notice),
    });
  const stored = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const asides = (): string[] => readdirSync(home).filter((name) => name.startsWith('settings.damaged-'));

  it('are the defaults at first, and no file', async () => {
    await using store = await open();
    expect(store.value).toMatchObject({ theme: 'system', zoom: 1, sync: { excludes: ['.git/'] } });
    expect(readdirSync(home)).toEqual([]);
  });

  it('are stored as differences in a private file, and read again', async () => {
    {
      await using store = await open();
      await store.update({ theme: 'dark', terminal: { fontSize: 14 }, sync: { excludes: [] } });
      await store.update({ clusters: { abc: { guard: 'read-only', color: 'red' } } });
    }
    expect(stored()).toEqual({
      theme: 'dark',
      terminal: { fontSize: 14 },
      sync: { excludes: [] },
      clusters: { abc: { guard: 'read-only', color: 'red' } },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await using again = await open();
    expect(again.value.terminal).toMatchObject({ fontSize: 14, scrollbackLines: 10_000 });
    expect(again.value.clusters).toEqual({ abc: { guard: 'read-only', color: 'red' } });
  });

  it('go back to the default with null, and leave nothing of it in the file', async () => {
    await using store = await open();
    await store.update({ theme: 'dark', clusters: { abc: { guard: 'confirm' } }, terminal: { fontSize: 9 } });
    await store.update({ theme: null, clusters: { abc: { guard: null } }, terminal: { fontSize: null } });
    expect(store.value).toMatchObject({ theme: 'system', clusters: {}, terminal: { fontSize: 12 } });
    expect(readdirSync(home)).toEqual([]);
  });

  it('keep the objects of parts that do not change', async () => {
    await using store = await open();
    const { terminal, sync } = store.value;
    await store.update({ theme: 'light' });
    expect(store.value.terminal).toBe(terminal);
    expect(store.value.sync).toBe(sync);
  });

  it.each([
    ['a key that there is not', { colour: 'red' }, /no setting "colour"/],
    ['a key below', { terminal: { font: 'x' } }, /terminal/],
    ['a value out of range', { zoom: 9 }, /[Zz]oom/],
    ['another type', { kubeconfigFiles: 'x' }, /kubeconfigFiles/i],
    ['a guard that there is not', { clusters: { a: { guard: 'off' } } }, /clusters\.a\.guard/i],
    ['nothing of an object', null, /object/],
    ['endless nesting', nested(100_000), /nested/],
    ['a name of every object', JSON.parse('{"__proto__": {"theme": "dark"}}') as unknown, /no setting/],
  ])('refuse %s and stay as they are', async (_name, patch, cause) => {
    await using store = await open();
    const before = store.value;
    await expect(store.update(patch)).rejects.toMatchObject({
      code: 'settings.invalid',
      causeText: expect.stringMatching(cause) as string,
    });
    expect(store.value).toBe(before);
    expect(readdirSync(home)).toEqual([]);
  });

  it('of another process are seen, and what both change is kept', async () => {
    await using first = await open();
    await using second = await open();
    let told = 0;
    using listening = second.onChange(() => (told += 1));
    expect(listening).toBeDefined();
    await first.update({ theme: 'dark' });
    await second.update({ zoom: 1.5 });
    expect(second.value).toMatchObject({ theme: 'dark', zoom: 1.5 });
    await expect.poll(() => first.value.zoom).toBe(1.5);
    expect(first.value.theme).toBe('dark');
    await first.update({ theme: null, zoom: null });
    await expect.poll(() => second.value.theme).toBe('system');
    expect(told).toBeGreaterThanOrEqual(2);
    expect(notices).toEqual([]);
  });

  it('lose nothing that another process writes at the same time', async () => {
    await using store = await open();
    const script = join(import.meta.dirname, 'testing', 'write-settings.ts');
    const runs = ['a', 'b', 'c'].map((name) =>
      promisify(execFile)(process.execPath, [script, home, name, '40']),
    );
    for (let round = 0; round < 40; round++) {
      await store.update({ clusters: { [`own-${round}`]: { guard: 'confirm' } } });
      await store.revise(({ recentFolders }) => ({
        recentFolders: [...recentFolders, `/own-${round}`].slice(-5),
      }));
    }
    await Promise.all(runs);
    const { clusters } = (await readSettings({ home, files: diskStateFiles })).value;
    expect(Object.keys(clusters)).toHaveLength(160);
    expect(readdirSync(home)).toEqual(['settings.json']);
    expect(notices).toEqual([]);
  });

  it(
    'are not changed while another process holds them, and that one is named',
    { timeout: 30_000 },
    async () => {
      await using store = await open();
      const lock = `${path}.lock`;
      writeFileSync(
        lock,
        JSON.stringify({ token: 'x', pid: process.pid, host: 'here', mark: processes.own }),
      );
      await expect(store.update({ theme: 'dark' })).rejects.toMatchObject({
        code: 'disk.state-locked',
        message: expect.stringContaining('The settings cannot be changed now') as string,
      });
      expect(store.value.theme).toBe('system');
      rmSync(lock);
      await store.update({ theme: 'dark' });
      expect(stored()).toEqual({ theme: 'dark' });
    },
  );

  it('keep what a newer version has written', async () => {
    writeFileSync(path, '{"theme": "dark", "hologram": {"depth": 3}}');
    await using store = await open();
    await store.update({ theme: null });
    expect(stored()).toEqual({ hologram: { depth: 3 } });
    expect(notices).toEqual([]);
  });

  it.each([
    ['{"theme": "dark"', false],
    ['[]', false],
    ['', false],
  ])('%j are damaged: the file is kept, told, and the defaults are used', async (text, guardsKnown) => {
    writeFileSync(path, text);
    expect((await readSettings({ home, files: diskStateFiles })).guardsKnown).toBe(guardsKnown);
    await using store = await open();
    expect(store.value.theme).toBe('system');
    expect(asides()).toHaveLength(1);
    expect(readFileSync(join(home, asides()[0] ?? ''), 'utf8')).toBe(text);
    expect(notices).toMatchObject([{ code: 'settings.invalid' }]);
    expect(notices[0]?.message).toContain(asides()[0]);
    expect(notices[0]?.next).toContain('guards');
  });

  it('that are partly damaged keep their good parts and the good guards', async () => {
    const clusters = { a: { guard: 'read-only', color: 'mauve', label: 'x' }, b: { guard: 7 } };
    writeFileSync(path, JSON.stringify({ zoom: 99, theme: 'dark', clusters, newer: 1 }));
    await using store = await open();
    expect(store.value).toMatchObject({ zoom: 1, theme: 'dark', clusters: { a: { guard: 'read-only' } } });
    expect(store.value.clusters['b']).toBeUndefined();
    expect(stored()).toEqual({ theme: 'dark', clusters: { a: { guard: 'read-only' } }, newer: 1 });
    expect(asides()).toHaveLength(1);
    expect(notices).toHaveLength(1);
  });

  it('that are damaged while in use stay in use; the file is left until something is written', async () => {
    await using store = await open();
    await store.update({ clusters: { a: { guard: 'read-only' } } });
    writeFileSync(path, 'half a fi');
    await expect.poll(() => notices.length).toBe(1);
    expect(store.value.clusters).toEqual({ a: { guard: 'read-only' } });
    expect(readFileSync(path, 'utf8')).toBe('half a fi');
    await store.update({ theme: 'dark' });
    expect(stored()).toEqual({ theme: 'dark', clusters: { a: { guard: 'read-only' } } });
    expect(readFileSync(join(home, asides()[0] ?? ''), 'utf8')).toBe('half a fi');
  });

  it('that cannot be stored are an error and stay as they were', async () => {
    writeFileSync(join(home, 'a-file'), '');
    await using store = await openSettings({
      home: join(home, 'a-file', 'below'),
      files: diskStateFiles,
      clock: systemClock,
      processes,
      onDamage: (notice) => notices.push(notice),
    });
    await expect(store.update({ theme: 'dark' })).rejects.toMatchObject({
      code: expect.stringMatching(/^disk\./) as string,
    });
    expect(store.value.theme).toBe('system');
  });
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let index = 0; index < depth; index++) value = { terminal: value };
  return value;
}
