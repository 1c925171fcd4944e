import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSlipwayError } from '../base/errors.ts';
import { absolutePath, listFolders } from './list-folders.ts';
import { folderMarks } from './folder-marks.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'slipway-folders-'));
  for (const name of ['app10', 'app9', '.git', 'shop', 'locked', '\u202eevil <b>'])
    await mkdir(join(root, name));
  await writeFile(join(root, 'shop', 'package.json'), '{}');
  await writeFile(join(root, 'shop', 'devspace.yaml'), '');
  await mkdir(join(root, 'app9', 'package.json'));
  await writeFile(join(root, 'a file'), '');
  await symlink(join(root, 'shop'), join(root, 'to-shop'));
  await symlink(join(root, 'a file'), join(root, 'to-file'));
  await symlink(join(root, 'nowhere'), join(root, 'broken'));
  await symlink(join(root, 'round'), join(root, 'round'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'no error';
  } catch (error) {
    return isSlipwayError(error) ? error.code : String(error);
  }
}

/** A user that owns nothing here. */
const nobody = 65_534;

describe('the folders below one', () => {
  it('are listed by name, hidden ones last, links only where they lead to one', async () => {
    const { path, parent, entries, truncated } = await listFolders({
      path: `${root}/`,
      homeFolder: '/home/a',
    });
    expect({ path, parent, truncated }).toEqual({ path: root, parent: tmpdir(), truncated: false });
    expect(entries.map(({ name }) => name)).toEqual([
      ...['app9', 'app10', '\u202eevil <b>', 'locked', 'shop', 'to-shop', '.git'],
    ]);
    expect(entries.find(({ name }) => name === 'shop')?.marks).toEqual(['devspace.yaml', 'package.json']);
    expect(entries.find(({ name }) => name === 'to-shop')?.marks).toEqual(['devspace.yaml', 'package.json']);
    expect(entries.find(({ name }) => name === 'app9')?.marks).toEqual([]);
    expect(entries.filter(({ hidden }) => hidden).map(({ name }) => name)).toEqual(['.git']);
  });

  it('of the root have no parent', async () => {
    expect(await listFolders({ path: '/', homeFolder: '/' })).not.toHaveProperty('parent');
  });

  it('are counted out at 2000', async () => {
    const many = join(root, 'shop', 'many');
    await mkdir(many);
    await Promise.all(Array.from({ length: 2005 }, (_, index) => mkdir(join(many, `f${index}`))));
    const { entries, truncated } = await listFolders({ path: many, homeFolder: root });
    expect([entries.length, truncated]).toEqual([2000, true]);
    await rm(many, { recursive: true });
  });

  it.each([
    ['nowhere', 'sync.local-path-missing'],
    ['a file', 'sync.local-path-missing'],
    ['a file/below', 'sync.local-path-missing'],
    ['round', 'sync.local-path-unreadable'],
    ['x'.repeat(300), 'sync.local-path-unreadable'],
  ])('of %s cannot be listed, and why is said', async (name, code) => {
    expect(await codeOf(listFolders({ path: join(root, name), homeFolder: root }))).toBe(code);
  });

  it('of one that may not be read are refused', async () => {
    await chmod(root, 0o755);
    await chmod(join(root, 'locked'), 0);
    // The superuser may read everything.
    const isSuperuser = process.geteuid?.() === 0;
    if (isSuperuser) process.seteuid?.(nobody);
    try {
      expect(await codeOf(listFolders({ path: join(root, 'locked'), homeFolder: root }))).toBe(
        'sync.local-path-unreadable',
      );
    } finally {
      if (isSuperuser) process.seteuid?.(0);
    }
  });

  it('are asked for from the root or from the home folder', () => {
    expect(absolutePath('~', '/home/a')).toBe('/home/a');
    expect(absolutePath('~/b/../c', '/home/a')).toBe('/home/a/c');
    expect(() => absolutePath('b', '/home/a')).toThrow('does not say where to begin');
    expect(() => absolutePath('~b', '/home/a')).toThrow('does not say where to begin');
  });
});

describe('the marks of a folder', () => {
  it('are the best known first, and few', () => {
    const names = ['Dockerfile', 'go.mod', 'package.json', 'README', 'devspace.yaml', 'Shop.csproj'];
    expect(folderMarks(new Set(names))).toEqual(['devspace.yaml', 'package.json', 'go.mod', 'Dockerfile']);
    expect(folderMarks(new Set(['Shop.csproj', 'b.fsproj']))).toEqual(['Shop.csproj']);
  });
});
