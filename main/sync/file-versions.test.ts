import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shownVersionBytes } from '../../contract/sessions.ts';
import type { Endpoint, FilePart } from './endpoint.ts';
import { containerVersion, laptopVersion, textOf, trashVersion } from './file-versions.ts';
import type { TrashedVersion } from './trash.ts';

const sha = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slipway-versions-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a version on this machine', () => {
  it('is its text, size, time and digest', async () => {
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
    expect(await laptopVersion(root, 'a.txt')).toMatchObject({
      ...{ where: 'laptop', kind: 'file', size: 8, text: 'one\ntwo\n', digest: sha('one\ntwo\n') },
    });
  });

  it('is cut where it is long, and hashed whole', async () => {
    const content = `${'ä'.repeat(shownVersionBytes)}\n`;
    writeFileSync(join(root, 'long'), content);
    const version = await laptopVersion(root, 'long');
    expect(version).toMatchObject({ cut: true, digest: sha(content) });
    expect(Buffer.byteLength(version.text ?? '')).toBe(shownVersionBytes);
  });

  it.each([
    ['a NUL', Buffer.from('a\0b')],
    ['no UTF-8', Buffer.from([0x61, 0xff, 0xfe])],
  ])('is binary with %s', async (_, content) => {
    writeFileSync(join(root, 'b'), content);
    const version = await laptopVersion(root, 'b');
    expect(version).toMatchObject({ binary: true, size: content.length, digest: sha(content) });
    expect(version.text).toBeUndefined();
  });

  it('is never read through a link, at its end or on the way', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'slipway-outside-'));
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(join(outside, 'secret'), join(root, 'link'));
    symlinkSync(outside, join(root, 'folder'));
    expect(await laptopVersion(root, 'link')).toEqual({
      ...{ where: 'laptop', kind: 'symlink', target: join(outside, 'secret') },
    });
    const below = await laptopVersion(root, 'folder/secret');
    expect(JSON.stringify(below)).not.toContain('"text"');
    expect(below.problem ?? below.kind).toBeTruthy();
    rmSync(outside, { recursive: true });
  });

  it('keeps nobody waiting that is a pipe, a folder or nothing', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    mkdirSync(join(root, 'd'));
    expect(await laptopVersion(root, 'pipe')).toEqual({ where: 'laptop', kind: 'other' });
    expect(await laptopVersion(root, 'd')).toEqual({ where: 'laptop', kind: 'directory' });
    expect(await laptopVersion(root, 'none')).toEqual({ where: 'laptop', kind: 'missing' });
    expect(await laptopVersion(root, 'no/ne')).toEqual({ where: 'laptop', kind: 'missing' });
  });
});

it('a version of the trash tells when it was put there', async () => {
  const place = join(root, 'v');
  writeFileSync(place, 'old');
  expect(await trashVersion(place, trashed({ trashedAt: 0 }))).toEqual({
    ...{ where: 'trash', kind: 'file', size: 3, time: '1970-01-01T00:00:00.000Z' },
    ...{ text: 'old', digest: sha('old') },
  });
});

describe('a version in the container', () => {
  const entry = {
    ...{
      kind: 'file' as const,
      mode: 0o644,
      size: 5,
      digest: 'd',
      mtimeNs: 1_000_000n,
      ctimeNs: 0n,
      inode: 1n,
    },
    links: 1,
  };
  const side = (parts: readonly FilePart[], size = 5): Pick<Endpoint, 'inspect' | 'read'> => ({
    inspect: (paths) =>
      Promise.resolve({ entries: new Map(paths.map((path) => [path, { ...entry, size }])), problems: [] }),
    async *read() {
      yield* parts;
    },
  });

  it('is what it reads', async () => {
    const data = { kind: 'data' as const, path: 'a', data: Buffer.from('hello') };
    const end = { kind: 'end' as const, path: 'a', digest: 'd' };
    expect(await containerVersion(side([data, end]), 'a')).toEqual({
      ...{ where: 'container', kind: 'file', size: 5, digest: 'd', text: 'hello' },
      time: '1970-01-01T00:00:00.001Z',
    });
  });

  it('is fetched no further than it is shown', async () => {
    let given = 0;
    const endless = {
      ...side([], Number.MAX_SAFE_INTEGER),
      async *read(): AsyncGenerator<FilePart> {
        for (;;) {
          given++;
          yield { kind: 'data', path: 'a', data: Buffer.alloc(64 * 1024, 'x') };
        }
      },
    };
    expect(await containerVersion(endless, 'a')).toMatchObject({ cut: true });
    expect(given).toBe(shownVersionBytes / (64 * 1024));
  });

  it('says what is wrong', async () => {
    expect((await containerVersion(undefined, 'a')).problem).toContain('no connection');
    const gone = { kind: 'unreadable' as const, message: 'EACCES' };
    const end = { kind: 'end' as const, path: 'a', digest: '', error: gone };
    expect((await containerVersion(side([end]), 'a')).problem).toBe('EACCES');
  });
});

it('a letter that is cut makes no text binary', () => {
  expect(textOf(Buffer.from('aä').subarray(0, 2))).toBe('a');
  expect(textOf(Buffer.from([0xe4, 0x61]))).toBeUndefined();
});

function trashed(part: Partial<TrashedVersion>): TrashedVersion {
  return {
    id: '0',
    path: 'a',
    size: 3,
    mode: 0o644,
    trashedAt: 0,
    reason: 'deleted',
    origin: 'local',
    ...part,
  };
}
