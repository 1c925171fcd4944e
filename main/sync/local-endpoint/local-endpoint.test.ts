import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { watch } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import type { Change, FileEntry } from '../change.ts';
import type { ApplyOutcome, Endpoint, FilePart } from '../endpoint.ts';
import { createPathRules } from '../rules.ts';
import { compileGitLines } from '../ignore/git-dialect.ts';
import { SimulatedClock } from '../simulation/simulated-clock.fixture.ts';
import { DirectoryWatcher } from './directory-watcher.ts';
import { DiskTrash } from './disk-trash.ts';
import { openLocalEndpoint } from './local-endpoint.ts';

let base: string;
let root: string;
let endpoint: Endpoint;
let trash: DiskTrash;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'slipway-local-'));
  root = join(base, 'root');
  mkdirSync(root);
  trash = new DiskTrash({ folder: join(base, 'trash'), clock: systemClock });
  endpoint = await openLocalEndpoint({
    root,
    rules: { exclude: compileGitLines(['*.skip']) },
    trash,
    clock: systemClock,
  });
});
afterEach(async () => {
  await endpoint[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(root, path);
const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');

async function entryAt(path: string): Promise<FileEntry> {
  const entry = (await endpoint.inspect([path], { digest: true })).entries.get(path);
  if (entry?.kind !== 'file') throw new Error(`${path} is no file`);
  return entry;
}

async function apply(change: Change, content = '', digest = digestOf(content)): Promise<ApplyOutcome> {
  let outcome: ApplyOutcome | undefined;
  const source: FileEntry = {
    kind: 'file',
    mode: 0o644,
    size: content.length,
    mtimeNs: 1_700_000_000_123_456_789n,
    ctimeNs: 0n,
    inode: 0n,
    links: 1,
  };
  await endpoint.apply([change], {
    priority: 'interactive',
    onOutcome: (_, found) => {
      outcome = found;
    },
    async *read(paths): AsyncGenerator<FilePart> {
      for (const path of paths) {
        yield { kind: 'begin', path, entry: source };
        if (content !== '') yield { kind: 'data', path, data: Buffer.from(content) };
        yield { kind: 'end', path, digest };
      }
    },
  });
  if (outcome === undefined) throw new Error('No outcome');
  return outcome;
}

const common = { keep: 'side', why: 'propagate' } as const;
const put = (path: string, expected?: Change['expected']): Change => ({
  ...common,
  kind: 'put',
  path,
  expected,
  mode: 0o640,
  source: { kind: 'file', mode: 0o640, size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: 1n, links: 1 },
});

describe('writing on the laptop', () => {
  it('puts content, mode and time, and leaves nothing beside it', async () => {
    expect(await apply(put('a'), 'hello')).toMatchObject({ kind: 'applied', bytes: 5, inPlace: false });
    expect(readFileSync(at('a'), 'utf8')).toBe('hello');
    expect(statSync(at('a')).mode & 0o777).toBe(0o640);
    expect(Math.round(statSync(at('a')).mtimeMs)).toBe(1_700_000_000_123);
    expect(readdirSync(root)).toEqual(['a']);
  });
  it('refuses content with another digest, and keeps the old file', async () => {
    writeFileSync(at('a'), 'old');
    expect(await apply(put('a', await entryAt('a')), 'new', digestOf('other'))).toMatchObject({
      kind: 'refused',
    });
    expect([readFileSync(at('a'), 'utf8'), readdirSync(root)]).toEqual(['old', ['a']]);
  });
  it('refuses to replace what is not as expected', async () => {
    writeFileSync(at('a'), 'old');
    const expected = await entryAt('a');
    writeFileSync(at('a'), 'edited meanwhile');
    expect((await apply(put('a', expected), 'new')).kind).toBe('mismatch');
    expect((await apply(put('a'), 'new')).kind).toBe('mismatch');
    expect((await apply({ ...common, kind: 'delete', path: 'a', expected })).kind).toBe('mismatch');
    expect(readFileSync(at('a'), 'utf8')).toBe('edited meanwhile');
  });
  it('takes a file that was only touched for the expected one', async () => {
    writeFileSync(at('a'), 'old');
    const expected = await entryAt('a');
    writeFileSync(at('a'), 'old');
    expect((await apply(put('a', expected), 'new')).kind).toBe('applied');
  });
  it('keeps what it replaces or deletes in the trash, byte for byte, and one version a minute', async () => {
    writeFileSync(at('a'), 'first');
    await apply(put('a', await entryAt('a')), 'second');
    await apply({ ...common, kind: 'delete', path: 'a', expected: await entryAt('a') });
    const versions = await trash.list();
    expect(versions.map(({ path, reason }) => [path, reason])).toEqual([['a', 'overwritten']]);
    expect((await trash.read(versions[0]?.id ?? ''))?.toString()).toBe('first');
    expect(existsSync(at('a'))).toBe(false);
  });
  it('keeps each version that loses a conflict, however fast they follow one another', async () => {
    writeFileSync(at('a'), 'first');
    await apply({ ...put('a', await entryAt('a')), why: 'settled' }, 'second');
    await apply({ ...put('a', await entryAt('a')), why: 'settled' }, 'third');
    const versions = await trash.list();
    expect(versions.map(({ path, reason }) => [path, reason])).toEqual([
      ['a', 'conflict'],
      ['a', 'conflict'],
    ]);
    const texts = await Promise.all(versions.map(async ({ id }) => (await trash.read(id))?.toString()));
    expect(texts.sort()).toEqual(['first', 'second']);
  });
  it('copies a file with several names into the trash, so that a later write does not reach it', async () => {
    writeFileSync(at('a'), 'first');
    linkSync(at('a'), join(base, 'twin'));
    await apply(put('a', await entryAt('a')), 'second');
    writeFileSync(join(base, 'twin'), 'changed');
    expect((await trash.read((await trash.list())[0]?.id ?? ''))?.toString()).toBe('first');
  });
  it('renames over nothing only', async () => {
    writeFileSync(at('a'), '1');
    writeFileSync(at('b'), '2');
    const expected = await entryAt('a');
    expect((await apply({ ...common, kind: 'rename', path: 'a', to: 'b', mode: 0o644, expected })).kind).toBe(
      'mismatch',
    );
    expect((await apply({ ...common, kind: 'rename', path: 'a', to: 'c', mode: 0o600, expected })).kind).toBe(
      'applied',
    );
    expect([
      readFileSync(at('b'), 'utf8'),
      readFileSync(at('c'), 'utf8'),
      statSync(at('c')).mode & 0o777,
    ]).toEqual(['2', '1', 0o600]);
  });
  it('says that a folder is not empty instead of removing what is in it', async () => {
    mkdirSync(at('d'));
    writeFileSync(at('d/x.skip'), '1');
    const expected = { kind: 'directory', mode: 0o755, inode: 0n } as const;
    expect((await apply({ ...common, kind: 'delete', path: 'd', expected })).kind).toBe('not-empty');
    expect(existsSync(at('d/x.skip'))).toBe(true);
  });
});

describe('staying inside the root', () => {
  it('never writes, deletes or reads through a link', async () => {
    const outside = join(base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(outside, at('link'));
    symlinkSync(join(outside, 'secret'), at('file'));
    expect((await apply(put('link/new'), 'x')).kind).toBe('mismatch');
    expect((await apply(put('link/secret', { ...(await fakeEntry()) }), 'x')).kind).toBe('mismatch');
    expect(
      (await apply({ ...common, kind: 'delete', path: 'link/secret', expected: await fakeEntry() })).kind,
    ).toBe('mismatch');
    expect(
      (await apply({ ...common, kind: 'chmod', path: 'file', mode: 0o777, expected: await fakeEntry() }))
        .kind,
    ).toBe('mismatch');
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
    const parts: FilePart[] = [];
    for await (const part of endpoint.read(['link/secret', 'file'])) parts.push(part);
    expect(parts.map((part) => part.kind)).toEqual(['end', 'end']);
    const scan = await endpoint.scan();
    expect([...scan.entries.keys()].sort()).toEqual(['file', 'link']);
  });
  const fakeEntry = async (): Promise<FileEntry> => ({
    kind: 'file',
    mode: 0o644,
    size: 6,
    mtimeNs: 1n,
    ctimeNs: 1n,
    inode: 1n,
    links: 1,
    digest: digestOf('secret'),
  });

  it('writes nothing when the folder was replaced by another one', async () => {
    renameSync(root, join(base, 'moved'));
    mkdirSync(root);
    await expect(apply(put('a'), 'x')).rejects.toMatchObject({ code: 'sync.local-path-missing' });
    expect([readdirSync(root), readdirSync(join(base, 'moved'))]).toEqual([[], []]);
  });
  it('takes a vanished folder for an error, never for an empty one', async () => {
    renameSync(root, join(base, 'moved'));
    await expect(endpoint.scan()).rejects.toMatchObject({ code: 'sync.local-path-missing' });
    await expect(endpoint.inspect(['a'], { digest: false })).rejects.toMatchObject({
      code: 'sync.local-path-missing',
    });
  });
});

describe('scanning', () => {
  it('finds what the rules include, follows no link and reports what cannot be', async () => {
    mkdirSync(at('d'));
    writeFileSync(at('d/f'), '12');
    writeFileSync(at('x.skip'), '1');
    symlinkSync('loop', at('loop'));
    symlinkSync('d', at('to-d'));
    execFileSync('mkfifo', [at('pipe')]);
    execFileSync('sh', ['-c', 'printf x >"$(printf "bad\\377")"'], { cwd: root });
    const scan = await endpoint.scan();
    expect([...scan.entries].map(([path, entry]) => [path, entry.kind]).sort()).toEqual([
      ['d', 'directory'],
      ['d/f', 'file'],
      ['loop', 'symlink'],
      ['pipe', 'other'],
      ['to-d', 'symlink'],
    ]);
    expect(scan.problems.map(({ message }) => message)).toEqual([expect.stringContaining('UTF-8')]);
    expect(lstatSync(at('loop')).isSymbolicLink()).toBe(true);
  });
  it('names once what comes later under a name that cannot travel', async () => {
    const look = () => endpoint.inspect(['d/bad\uFFFD'], { digest: false });
    expect((await look()).problems).toEqual([
      { path: 'd/bad\uFFFD', message: expect.stringContaining('UTF-8') as string },
    ]);
    expect(await look()).toEqual({ entries: new Map(), problems: [] });
  });
  it('refuses a missing folder and a file with one clear message', async () => {
    const open = (path: string) => openLocalEndpoint({ root: path, rules: {}, trash, clock: systemClock });
    await expect(open(join(base, 'none'))).rejects.toMatchObject({ code: 'sync.local-path-missing' });
    writeFileSync(join(base, 'file'), '');
    await expect(open(join(base, 'file'))).rejects.toMatchObject({ code: 'sync.local-path-missing' });
  });
});

describe('the directory watcher', () => {
  const rules = createPathRules();
  it('polls the folders beyond the limit, says so with the setting, and still sees every change', async () => {
    mkdirSync(at('a/b'), { recursive: true });
    writeFileSync(at('a/b/f'), '1');
    const limited = ((...args: Parameters<typeof watch>) => {
      if (String(args[0]).includes('/a')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return nodeWatch(...args);
    }) as typeof watch;
    const { watch: nodeWatch } = await import('node:fs');
    const watcher = new DirectoryWatcher({
      root,
      rules,
      clock: systemClock,
      pollMs: 20,
      watchFolder: limited,
    });
    const notices: string[] = [];
    const seen = new Set<string>();
    watcher.onNotice((notice) => notices.push(notice));
    watcher.onHint((hint) => hint.kind === 'path' && seen.add(hint.path));
    await watcher.start();
    expect([watcher.watchedFolders, watcher.polledFolders]).toEqual([1, 2]);
    expect(notices).toEqual([expect.stringMatching(/fs\.inotify\.max_user_watches is \d+/)]);
    writeFileSync(at('a/b/f'), '22');
    writeFileSync(at('a/b/g'), '1');
    mkdirSync(at('a/c'));
    const end = performance.now() + 3000;
    while (performance.now() < end && !['a/b/f', 'a/b/g', 'a/c'].every((path) => seen.has(path))) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(['a/b/f', 'a/b/g', 'a/c'].filter((path) => !seen.has(path))).toEqual([]);
    await watcher[Symbol.asyncDispose]();
  });
  it('follows a moved folder and forgets a removed one', async () => {
    mkdirSync(at('a/b'), { recursive: true });
    const watcher = new DirectoryWatcher({ root, rules, clock: systemClock });
    const seen: string[] = [];
    watcher.onHint((hint) => hint.kind === 'path' && seen.push(hint.path));
    await watcher.start();
    renameSync(at('a'), at('moved'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    writeFileSync(at('moved/b/f'), '1');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen).toContain('moved/b/f');
    rmSync(at('moved'), { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(watcher.watchedFolders).toBe(1);
    await watcher[Symbol.asyncDispose]();
  });
});

it('reports a folder that cannot be read and goes on', async () => {
  mkdirSync(at('closed'));
  chmodSync(at('closed'), 0);
  chmodSync(base, 0o755);
  // Nothing is closed to root, so root reads as nobody.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  try {
    const scan = await endpoint.scan();
    expect(scan.problems.map(({ path }) => path)).toEqual(['closed']);
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(at('closed'), 0o755);
  }
});

const nobody = 65534;

it('says that its root is another one each time, also when no event tells it and soon after the last', async () => {
  const clock = new SimulatedClock();
  const place = join(base, 'parent');
  mkdirSync(join(place, 'root'), { recursive: true });
  await using moved = await openLocalEndpoint({ root: join(place, 'root'), rules: {}, trash, clock });
  let overflows = 0;
  using _listening = moved.onHint(({ overflow }) => (overflows += Number(overflow)));
  const replaceBy = async (other: string, keepAs: string): Promise<void> => {
    renameSync(place, join(base, keepAs));
    renameSync(join(base, other), place);
    await clock.advance(2_000);
  };
  mkdirSync(join(base, 'second', 'root'), { recursive: true });
  await replaceBy('second', 'first');
  expect(overflows).toBe(1);
  await moved.scan();
  await replaceBy('first', 'second');
  expect(overflows).toBe(2);
});
