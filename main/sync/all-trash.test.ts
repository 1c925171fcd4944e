import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../base/clock.ts';
import { AllTrash, oldestOfEach } from './all-trash.ts';
import { diskAncestorFiles } from './ancestor-files.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';
import { entryAt } from './local-endpoint/disk-entry.ts';
import { describePair } from './pair-description.ts';
import { pairId } from './pair.ts';

let base: string;
let now = Date.now();
const clock: Clock = { ...systemClock, now: () => now };
beforeEach(() => (base = mkdtempSync(join(tmpdir(), 'slipway-all-trash-'))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A pair with its folder, its description and a trash, as a sync leaves them. */
async function pair(name: string, described = true) {
  const localPath = join(base, name);
  mkdirSync(localPath);
  const identity = {
    cluster: 'c',
    namespace: 'n',
    target: 't',
    container: '',
    remotePath: '/app',
    localPath,
  };
  const folder = join(base, 'home', 'sync', pairId(identity));
  const trash = new DiskTrash({ folder: join(folder, 'trash'), clock });
  if (described) await describePair(diskAncestorFiles, folder, identity);
  return {
    id: pairId(identity),
    localPath,
    throwAway(path: string, content: string) {
      const from = join(localPath, path);
      writeFileSync(from, content);
      const entry = entryAt(from);
      if (entry?.kind !== 'file') throw new Error('no file');
      trash.keepAnyway(from, path, entry, 'overwritten');
      rmSync(from);
    },
  };
}
const all = () => new AllTrash(join(base, 'home'), clock);

describe('the trash of all pairs', () => {
  it('finds versions by pair, path and time, although equal paths have equal ids in each pair', async () => {
    const [one, two] = [await pair('one'), await pair('two')];
    one.throwAway('a', '1');
    now += 1000;
    two.throwAway('a', '2');
    now += 3_600_000;
    two.throwAway('b', '3');
    expect((await all().list()).map(({ path, pair: of }) => [path, of?.localPath])).toEqual([
      ['a', one.localPath],
      ['a', two.localPath],
      ['b', two.localPath],
    ]);
    expect(await all().list({ pair: two.localPath })).toHaveLength(2);
    expect(await all().list({ pair: two.id.slice(0, 8) })).toHaveLength(2);
    expect(await all().list({ path: './a' })).toHaveLength(2);
    expect(await all().list({ path: '[ab]', pair: two.localPath })).toHaveLength(2);
    expect((await all().list({ since: now - 60_000 })).map(({ path }) => path)).toEqual(['b']);
  });

  it('puts a version into its place and what was there into the trash', async () => {
    const one = await pair('one');
    one.throwAway('a', 'old');
    writeFileSync(join(one.localPath, 'a'), 'new');
    const [version] = await all().list();
    expect(await all().restore(version?.id ?? '')).toBe(join(one.localPath, 'a'));
    expect(readFileSync(join(one.localPath, 'a'), 'utf8')).toBe('old');
    expect(await all().list()).toHaveLength(2);
  });

  it('undoes a whole batch: each path as it was at that moment', async () => {
    const one = await pair('one');
    one.throwAway('a', 'long ago');
    now += 3_600_000;
    const since = now - 1000;
    one.throwAway('a', 'then');
    one.throwAway('b', 'then too');
    now += 120_000;
    one.throwAway('a', 'later');
    for (const { id } of oldestOfEach(await all().list({ since }))) await all().restore(id);
    expect(readFileSync(join(one.localPath, 'a'), 'utf8')).toBe('then');
    expect(readFileSync(join(one.localPath, 'b'), 'utf8')).toBe('then too');
  });

  it('needs a folder for a pair that nobody described', async () => {
    const one = await pair('one', false);
    one.throwAway('a', 'old');
    const [version] = await all().list();
    await expect(all().restore(version?.id ?? '')).rejects.toThrow(/is not known/);
    mkdirSync(join(base, 'to'));
    await all().restore(version?.id ?? '', join(base, 'to'));
    expect(readFileSync(join(base, 'to', 'a'), 'utf8')).toBe('old');
  });

  it('refuses what is no id', async () => {
    for (const id of ['', '.', '../x', 'ffffffff.00', '00000000./../../etc/passwd'])
      await expect(all().restore(id)).rejects.toThrow(/no version/);
  });
});
