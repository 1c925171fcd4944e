import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { Endpoint, KeptVersion } from './endpoint.ts';
import { fetchKept } from './fetch-kept.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const digest = createHash('sha256').update('old').digest('hex');
const kept: KeptVersion = {
  ...{ id: '7', path: 'a', size: 3, trashedAt: 0 },
  entry: {
    ...{ kind: 'file', mode: 0o644, size: 3, digest, mtimeNs: 0n, ctimeNs: 0n, inode: 1n, links: 1 },
  },
};

function fetch(content: string, part: Partial<KeptVersion> = {}, connected = true) {
  const trash = new DiskTrash({ folder, clock: systemClock });
  const remote = { listTrash: () => Promise.resolve([{ ...kept, ...part }]) } as unknown as Endpoint;
  const read = () => Promise.resolve(Buffer.from(content));
  return fetchKept({ engine: { remote: connected ? remote : undefined }, trash, read, id: '7' });
}

describe('an old version of the container', () => {
  it('comes into the trash here, also twice in a minute', async () => {
    const [first, second] = [await fetch('old'), await fetch('old')];
    expect(first).not.toBe(second);
    for (const id of [first, second]) expect(readFileSync(join(folder, id), 'utf8')).toBe('old');
    const [version] = await new DiskTrash({ folder, clock: systemClock }).list();
    expect(version).toMatchObject({ path: 'a', size: 3, origin: 'remote', reason: 'overwritten' });
  });

  it.each([
    ['is of another length', () => fetch('older')],
    ['has another content', () => fetch('olt')],
    ['is not there any more', () => fetch('old', { id: '8' })],
    ['is a folder', () => fetch('old', { entry: { kind: 'directory', mode: 0, inode: 1n } })],
    [
      'is very large',
      () => fetch('old', { entry: { ...kept.entry, size: 2 ** 31 } as KeptVersion['entry'] }),
    ],
    ['cannot be reached', () => fetch('old', {}, false)],
  ])('stays where it is when it %s', async (_, work) => {
    await expect(work()).rejects.toThrow(/cannot be brought here/);
    expect(await new DiskTrash({ folder, clock: systemClock }).list()).toEqual([]);
  });
});
