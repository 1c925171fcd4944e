import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { SyncEngine } from './engine.ts';
import type { PathKnowledge } from './file-state.ts';
import { fileStateOf } from './file-state.ts';
import { compileLines } from './ignore/explain.ts';
import { entryAt } from './local-endpoint/disk-entry.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';
import { createPairView, type PairView } from './pair-view.ts';
import { createPathRules } from './rules.ts';

const nothing: PathKnowledge = {
  ...{ local: undefined, agreed: undefined, held: undefined, waiting: false, difference: undefined },
};
const file = (digest: string) => ({
  ...{ kind: 'file' as const, mode: 0o644, size: 1, digest, mtimeNs: 0n, ctimeNs: 0n, inode: 1n, links: 1 },
});

describe('how a file stands', () => {
  it.each([
    [{}, 'new'],
    [{ local: file('a') }, 'new'],
    [{ local: file('a'), agreed: file('a') }, 'same'],
    [{ local: file('b'), agreed: file('a') }, 'waiting'],
    [{ agreed: file('a') }, 'waiting'],
    [{ local: file('a'), agreed: file('a'), waiting: true }, 'waiting'],
    [{ local: file('a'), agreed: file('a'), waiting: true, held: 'brake' }, 'held'],
    [{ local: file('a'), held: 'conflict' }, 'conflict'],
    [
      { local: file('b'), agreed: file('a'), difference: { local: undefined, remote: undefined } },
      'different',
    ],
  ] as const)('case %#', (knowledge, expected) => {
    expect(fileStateOf({ ...nothing, ...knowledge })).toBe(expected);
  });
});

describe('a window on a pair', () => {
  let base = '';
  let root = '';
  let trash: DiskTrash;
  let view: PairView;
  let known: Map<string, Partial<PathKnowledge>>;

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'slipway-view-'));
    root = join(base, 'root');
    mkdirSync(join(root, 'src', 'deep'), { recursive: true });
    mkdirSync(join(base, 'outside'));
    writeFileSync(join(base, 'outside', 'secret'), 'secret');
    trash = new DiskTrash({ folder: join(base, 'trash'), clock: systemClock });
    known = new Map();
    const engine = {
      held: [],
      know: (path: string) => ({ ...nothing, ...known.get(path) }),
      knownBelow: (folder: string) =>
        new Set(
          [...known.keys()].filter((path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) === folder),
        ),
      unsettled: () => known.keys(),
    } as unknown as SyncEngine;
    const rules = createPathRules({ exclude: compileLines(['node_modules/', '*.log'], 'git') });
    view = createPairView({
      ...{ folder: root, singleName: undefined, engine, rules, trash },
      agreed: { files: 0 },
    });
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const list = async (path: string, offset = 0, limit = 100) => view.list(path, { offset, limit });

  it('lists a folder with the state of each entry, also of what is gone here', async () => {
    writeFileSync(join(root, 'a.log'), '12');
    writeFileSync(join(root, 'b'), '12');
    mkdirSync(join(root, 'node_modules'));
    symlinkSync('/etc', join(root, 'link'));
    known.set('b', { local: file('x'), agreed: file('x') });
    known.set('gone', { agreed: file('x'), held: 'brake' });
    known.set('src/deep/c', { held: 'conflict', local: file('x') });
    const { entries, total } = await list('');
    expect(total).toBe(6);
    expect(entries).toEqual([
      { name: 'a.log', kind: 'file', state: 'excluded', size: 2 },
      { name: 'b', kind: 'file', state: 'same', size: 2 },
      { name: 'gone', kind: 'file', state: 'held', missing: true },
      { name: 'link', kind: 'symlink', state: 'new' },
      { name: 'node_modules', kind: 'directory', state: 'excluded' },
      { name: 'src', kind: 'directory', state: 'conflict' },
    ]);
    expect((await list('', 4, 1)).entries.map(({ name }) => name)).toEqual(['node_modules']);
  });

  it.each(['..', 'src/../..', '/etc', 'src/', './src', 'a\0b', 'src/./deep'])(
    'refuses the path %j',
    async (path) => {
      await expect(list(path)).rejects.toMatchObject({ code: 'sync.path-refused' });
    },
  );

  it('never follows a link out of the folder', async () => {
    symlinkSync(join(base, 'outside'), join(root, 'out'));
    symlinkSync(join(base, 'outside'), join(root, 'src', 'out'));
    await expect(list('out')).rejects.toMatchObject({ code: 'sync.path-refused' });
    await expect(list('src/out')).rejects.toMatchObject({ code: 'sync.path-refused' });
  });

  /** An old version of a path in the trash; gives its id. */
  async function trashed(path: string, content: string): Promise<string> {
    const place = join(base, 'version');
    writeFileSync(place, content, { mode: 0o755 });
    const entry = entryAt(place);
    if (entry?.kind !== 'file') throw new Error('No file');
    trash.keepAnyway(place, path, entry, 'overwritten');
    rmSync(place);
    const versions = await trash.list();
    return versions.at(-1)?.id ?? '';
  }

  it('puts a version back with its mode, makes its folders, and keeps what was there', async () => {
    const id = await trashed('src/new/folder/run.sh', 'old');
    expect(await view.restore(id)).toBe('src/new/folder/run.sh');
    const target = join(root, 'src/new/folder/run.sh');
    expect(readFileSync(target, 'utf8')).toBe('old');
    expect(lstatSync(target).mode & 0o777).toBe(0o755);
    // Twice within a minute: no version is lost.
    writeFileSync(target, 'second');
    await view.restore(id);
    writeFileSync(target, 'third');
    await view.restore(id);
    expect(readFileSync(target, 'utf8')).toBe('old');
    const versions = await Promise.all(
      (await trash.list()).map(async (each) => String(await trash.read(each.id))),
    );
    expect(versions.sort()).toEqual(['old', 'second', 'third']);
    // What was restored is a file of its own: an edit does not reach into the trash.
    writeFileSync(target, 'edited');
    expect(String(await trash.read(id))).toBe('old');
  });

  it('does not write through links, over folders or outside, and changes nothing then', async () => {
    const refused = expect.objectContaining({ code: 'sync.path-refused' }) as unknown;
    const secret = (): string => readFileSync(join(base, 'outside', 'secret'), 'utf8');
    symlinkSync(join(base, 'outside'), join(root, 'out'));
    await expect(view.restore(await trashed('out/secret', 'evil'))).rejects.toEqual(refused);
    symlinkSync(join(base, 'outside', 'secret'), join(root, 'direct'));
    await expect(view.restore(await trashed('direct', 'evil'))).rejects.toEqual(refused);
    await expect(view.restore(await trashed('src', 'evil'))).rejects.toEqual(refused);
    await expect(view.restore(await trashed('../outside/secret', 'evil'))).rejects.toEqual(refused);
    await expect(view.restore('../../etc/passwd')).rejects.toEqual(refused);
    await expect(view.restore('00-00')).rejects.toEqual(refused);
    expect(secret()).toBe('secret');
    expect(lstatSync(join(root, 'direct')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(root, 'src', 'deep'))).toBe(true);
  });

  it('keeps a hard link of what it replaces apart', async () => {
    writeFileSync(join(root, 'one'), 'now');
    linkSync(join(root, 'one'), join(root, 'two'));
    await view.restore(await trashed('one', 'old'));
    expect(readFileSync(join(root, 'one'), 'utf8')).toBe('old');
    expect(readFileSync(join(root, 'two'), 'utf8')).toBe('now');
  });

  it('says why it cannot write', async () => {
    if (process.getuid?.() === 0) return;
    chmodSync(join(root, 'src'), 0o500);
    await expect(view.restore(await trashed('src/a', 'old'))).rejects.toMatchObject({
      code: 'sync.path-refused',
    });
    chmodSync(join(root, 'src'), 0o700);
  });
});
