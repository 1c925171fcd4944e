import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f24', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

const names = [
  'a'.repeat(255),
  '\u00e9'.repeat(127),
  'new\nline',
  '-rf',
  '--help',
  'caf\u00e9 composed',
  'cafe\u0301 decomposed',
  'right\u202eto left',
  'CON',
  'nul.txt',
  'trailing dot.',
  'trailing space ',
  ' leading',
  '*?"<>|',
  'back\\slash',
  'tab\tbell\u0007',
  '\ud83d\ude80',
  '..hidden',
  '...',
  '$(touch owned)',
  '%00%2e%2e%2f',
];
/** The same name twice where file systems compose or fold: here they are two. */
const twins = ['twin\u00e9', 'twine\u0301', 'Twin', 'tWIN'];
const invalid = Buffer.from([0x62, 0xff, 0xfe, 0x61, 0x64]);

for (const side of ['here', 'there'] as const) {
  it(`F24 names ${side === 'here' ? 'of the laptop' : 'of the container'}`, async ({ task }) => {
    passesWhen(task, 'each name arrives byte for byte, or is named as one that cannot');
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
    const [own, other] = side === 'here' ? [rig.local, rig.remote()] : [rig.remote(), rig.local];
    await rig.start();
    const told = (): string =>
      eventsOf(rig.sync, 'notice')
        .map(({ message }) => message)
        .join('\n');
    const all = [...names, ...twins];
    for (const name of all) writeFileSync(join(own, name), `content of ${JSON.stringify(name)}`);
    writeFileSync(Buffer.concat([Buffer.from(`${own}/`), invalid]), 'invalid');
    // A path of nearly 4,096 bytes.
    const part = 'd'.repeat(200);
    const deep = Array.from({ length: 18 }, () => part).join('/');
    mkdirSync(join(own, deep), { recursive: true });
    writeFileSync(join(own, deep, 'leaf'), 'deep');
    await eventually(() =>
      expect(bytesOf(other).sort()).toEqual(
        bytesOf(own)
          .filter((name) => name !== invalid.toString('latin1'))
          .sort(),
      ),
    );
    for (const name of all)
      expect(readFileSync(join(other, name), 'utf8')).toBe(`content of ${JSON.stringify(name)}`);
    const depth = (): boolean =>
      lstatSync(join(other, deep, 'leaf'), { throwIfNoEntry: false }) !== undefined;
    await eventually(() => expect(depth() || told().includes(part)).toBe(true));
    await eventually(() => expect(told()).toMatch(/UTF-8|cannot be|invalid/i));
    // Renamed and removed under their names too.
    for (const name of names.slice(2, 8)) renameSync(join(own, name), join(own, `${name} moved`));
    for (const name of names.slice(8)) rmSync(join(own, name));
    await eventually(() =>
      expect(bytesOf(other).sort()).toEqual(
        bytesOf(own)
          .filter((name) => name !== invalid.toString('latin1'))
          .sort(),
      ),
    );
    expect(readdirSync(rig.root)).not.toContain('owned');
    await rig.verify();
  });
}

function bytesOf(folder: string): string[] {
  return readdirSync(folder, { encoding: 'buffer' }).map((name) => name.toString('latin1'));
}
