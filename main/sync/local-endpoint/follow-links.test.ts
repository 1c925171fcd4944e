import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { systemClock } from '../../base/clock.ts';
import { diskAncestorFiles } from '../ancestor-files.ts';
import { openAncestor } from '../ancestor.ts';
import type { SyncEngine } from '../engine.ts';
import { createSyncEngine } from '../engine.ts';
import { compileLines } from '../ignore/explain.ts';
import { createMatcher } from '../ignore/matcher.ts';
import { anyNames } from '../paths.ts';
import { defaultBrake } from '../plan-safety.ts';
import { createPathRules } from '../rules.ts';
import type { SyncEvent } from '../sync-event.ts';
import { DiskTrash } from './disk-trash.ts';
import { followLinks } from './follow-links.ts';
import { openLocalEndpoint } from './local-endpoint.ts';

let base: string;
let engine: SyncEngine | undefined;
let events: SyncEvent[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipway-links-'));
  for (const folder of ['l', 'r', 'out']) mkdirSync(join(base, folder));
  events = [];
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, path);
function write(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}
const read = (path: string): string | undefined =>
  existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined;
const told = (): string =>
  events
    .map((event) =>
      event.kind === 'problem'
        ? `${event.problem.path}: ${event.problem.message}`
        : event.kind === 'notice'
          ? event.message
          : '',
    )
    .join('\n');

async function start(...patterns: readonly string[]): Promise<void> {
  const trash = new DiskTrash({ folder: at('trash'), clock: systemClock });
  const open = (root: string, rules = {}) => openLocalEndpoint({ root, rules, trash, clock: systemClock });
  const approved = createMatcher(compileLines(patterns, 'git'));
  const local = followLinks({
    root: at('l'),
    main: await open(at('l')),
    clock: systemClock,
    approved: (path) => approved.excludes(path, false) || approved.excludes(path, true),
    open: (folder, below, singleName) => open(folder, { below, singleName }),
  });
  const rules = createPathRules();
  engine = createSyncEngine({
    rules: {
      ...rules,
      downloadExcluded: (path, isFolder) => local.covers(path) || rules.downloadExcluded(path, isFolder),
    },
    strategy: 'preferLocal',
    brake: defaultBrake,
    local,
    connectRemote: () => open(at('r')),
    firstEpoch: Date.now(),
    ancestor: await openAncestor(diskAncestorFiles, at('state')),
    trash,
    clock: systemClock,
    random: Math.random,
    localNames: anyNames,
    consent: undefined,
  });
  engine.onEvent((event) => events.push(event));
  await engine.inSync();
}

describe('links that point out of the folder', () => {
  it('are listed and not followed unless somebody wants it', async () => {
    write('out/a', 'secret');
    symlinkSync(at('out'), at('l/there'));
    symlinkSync('../out/a', at('l/one'));
    await start();
    expect(told()).toContain('2 links point out of the folder and are not followed:');
    expect(told()).toContain(`there → ${at('out')}`);
    expect(readdirSync(at('r'))).toEqual([]);
  });

  it('upload what they lead to, folders and files, and what changes there', async () => {
    write('out/a', '1');
    write('out/deep/b', '2');
    write('single', 'file');
    symlinkSync(at('out'), at('l/there'));
    symlinkSync(at('single'), at('l/one'));
    await start('there', 'one');
    expect([read('r/there/a'), read('r/there/deep/b'), read('r/one')]).toEqual(['1', '2', 'file']);
    expect(lstatSync(at('r/there')).isDirectory()).toBe(true);
    write('out/deep/new/c', '3');
    write('out/a', 'changed');
    rmSync(at('out/deep/b'));
    writeFileSync(at('single'), 'changed too');
    await eventually(() => {
      expect([read('r/there/deep/new/c'), read('r/there/a'), read('r/one')]).toEqual([
        '3',
        'changed',
        'changed too',
      ]);
      expect(read('r/there/deep/b')).toBeUndefined();
    });
    unlinkSync(at('l/there'));
    await eventually(() => expect(existsSync(at('r/there'))).toBe(false));
    expect(read('out/a')).toBe('changed');
    symlinkSync(at('out'), at('l/there'));
    await eventually(() => expect(read('r/there/a')).toBe('changed'));
  });

  it('are never written through', async () => {
    write('out/a', '1');
    symlinkSync(at('out'), at('l/there'));
    await start('there');
    write('r/there/a', 'from the container');
    write('r/there/evil', 'x');
    rmSync(at('r/there/a'));
    write('r/mark', 'm');
    await eventually(() => expect(read('l/mark')).toBe('m'));
    rmSync(at('r/there'), { recursive: true });
    write('r/mark-2', 'm');
    await eventually(() => expect(read('l/mark-2')).toBe('m'));
    expect(readdirSync(at('out'))).toEqual(['a']);
    expect(read('out/a')).toBe('1');
    expect(lstatSync(at('l/there')).isSymbolicLink()).toBe(true);
  });

  it('are reported where they lead in a circle or nowhere, and keep nothing else waiting', async () => {
    write('l/file', '1');
    write('out/deep/b', '2');
    symlinkSync(at('out/none'), at('l/dangling'));
    symlinkSync(base, at('l/up'));
    symlinkSync(at('l/ring-b'), at('l/ring-a'));
    symlinkSync(at('l/ring-a'), at('l/ring-b'));
    symlinkSync(at('out'), at('l/there'));
    symlinkSync(at('l'), at('out/back'));
    symlinkSync('..', at('out/deep/parent'));
    await start('*');
    expect(told()).toMatch(/dangling: The link leads nowhere/);
    expect(told()).toMatch(/up: The link leads to a folder that holds it/);
    expect(told()).toMatch(/ring-a: The link leads in a circle/);
    expect(told()).toMatch(/there\/back: The link leads to a folder that holds it/);
    expect([read('r/file'), read('r/there/deep/b')]).toEqual(['1', '2']);
    expect(readdirSync(at('r')).sort()).toEqual(['file', 'there']);
  });

  it('lose nothing in the container when what they lead to goes, or nobody follows them any more', async () => {
    write('out/a', '1');
    symlinkSync(at('out'), at('l/there'));
    await start('there');
    expect(read('r/there/a')).toBe('1');
    rmSync(at('out'), { recursive: true });
    await eventually(() => expect(told()).toMatch(/there: .*(leads nowhere|cannot be read)/));
    expect(read('r/there/a')).toBe('1');
    write('out/a', '2');
    await engine?.stop();
    await start('there');
    await eventually(() => expect(read('r/there/a')).toBe('2'));
    await engine?.stop();
    await start();
    write('l/mark', 'm');
    await eventually(() => expect(read('r/mark')).toBe('m'));
    expect(read('r/there/a')).toBe('2');
  });
});

it('passes on what the folder said before anybody listened', async () => {
  const trash = new DiskTrash({ folder: at('trash'), clock: systemClock });
  const folder = await openLocalEndpoint({ root: at('l'), rules: {}, trash, clock: systemClock });
  const early = ['A limit is reached'];
  const main = Object.create(folder, {
    onNotice: {
      value: (listener: (message: string) => void): Disposable => {
        early.splice(0).forEach(listener);
        return { [Symbol.dispose]: () => undefined };
      },
    },
  }) as typeof folder;
  const links = followLinks({
    root: at('l'),
    main,
    clock: systemClock,
    approved: () => false,
    open: () => Promise.reject(new Error('Nothing is followed')),
  });
  const heard: string[] = [];
  using _listening = links.onNotice((message) => heard.push(message));
  expect(heard).toEqual(['A limit is reached']);
  await folder[Symbol.asyncDispose]();
});
