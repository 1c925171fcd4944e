import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../tests/support/eventually.ts';
import { systemClock } from '../base/clock.ts';
import { diskAncestorFiles } from './ancestor-files.ts';
import { openAncestor } from './ancestor.ts';
import type { SyncEngine } from './engine.ts';
import { createSyncEngine } from './engine.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';
import { openLocalEndpoint } from './local-endpoint/local-endpoint.ts';
import type { Direction } from './pair-settings.ts';
import { anyNames } from './paths.ts';
import { defaultBrake } from './plan-safety.ts';
import { createPathRules } from './rules.ts';
import { strategies, type Strategy } from './strategy.ts';

let base: string;
let engine: SyncEngine | undefined;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipway-one-way-'));
  for (const side of ['l', 'r']) mkdirSync(join(base, side));
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  rmSync(base, { recursive: true, force: true });
});

const read = (side: 'l' | 'r', path: string): string | undefined => {
  const full = join(base, side, path);
  return existsSync(full) ? readFileSync(full, 'utf8') : undefined;
};
const write = (side: 'l' | 'r', path: string, content: string): void =>
  writeFileSync(join(base, side, path), content);

async function start(direction: Direction, strategy: Strategy = 'preferLocal'): Promise<SyncEngine> {
  const rules = { direction };
  const trash = new DiskTrash({ folder: join(base, 'trash'), clock: systemClock });
  const side = (root: string) =>
    openLocalEndpoint({ root: join(base, root), rules, trash, clock: systemClock });
  engine = createSyncEngine({
    rules: createPathRules(rules),
    strategy,
    brake: { ...defaultBrake, holdFirstSyncOnLaptop: false },
    local: await side('l'),
    connectRemote: () => side('r'),
    firstEpoch: Date.now(),
    ancestor: await openAncestor(diskAncestorFiles, join(base, 'state')),
    trash,
    clock: systemClock,
    random: Math.random,
    localNames: anyNames,
    consent: undefined,
  });
  await engine.inSync();
  return engine;
}

describe('a pair of one way', () => {
  for (const strategy of strategies) {
    it(`changes nothing on this machine when it only uploads, with ${strategy}`, async () => {
      write('l', 'both', 'mine');
      write('r', 'both', 'their');
      write('l', 'mine', '1');
      write('r', 'their', '2');
      await start('up', strategy);
      expect([read('l', 'both'), read('l', 'mine'), read('l', 'their')]).toEqual(['mine', '1', undefined]);
      write('r', 'their-2', '3');
      write('r', 'both', 'changed there');
      write('l', 'mark', '4');
      await eventually(() => expect(read('r', 'mark')).toBe('4'));
      write('l', 'both', 'changed here');
      await eventually(() => expect(read('r', 'both')).toBe('changed here'));
      expect([read('l', 'both'), read('l', 'their'), read('l', 'their-2')]).toEqual([
        'changed here',
        undefined,
        undefined,
      ]);
    });
    it(`changes nothing in the container when it only downloads, with ${strategy}`, async () => {
      write('l', 'both', 'mine');
      write('r', 'both', 'their');
      write('l', 'mine', '1');
      write('r', 'their', '2');
      await start('down', strategy);
      expect([read('r', 'both'), read('r', 'mine'), read('r', 'their')]).toEqual(['their', undefined, '2']);
      write('l', 'mine-2', '3');
      write('r', 'mark', '4');
      await eventually(() => expect(read('l', 'mark')).toBe('4'));
      write('r', 'both', 'changed there');
      await eventually(() => expect(read('l', 'both')).toBe('changed there'));
      expect([read('r', 'mine'), read('r', 'mine-2')]).toEqual([undefined, undefined]);
    });
  }

  it('leaves what differed at the first sync as it is at the next start too', async () => {
    write('l', 'both', 'mine');
    write('r', 'both', 'their');
    await (await start('down')).stop();
    await start('down');
    expect([read('l', 'both'), read('r', 'both')]).toEqual(['mine', 'their']);
  });

  it('takes what the other side made meanwhile as soon as it goes both ways', async () => {
    write('l', 'a', '1');
    await start('up');
    write('r', 'a', 'changed there');
    write('l', 'mark', '2');
    await eventually(() => expect(read('r', 'mark')).toBe('2'));
    await engine?.stop();
    await start('both');
    expect(read('l', 'a')).toBe('changed there');
  });
});
