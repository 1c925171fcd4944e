import { existsSync, readdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, held, podsOf } from '../support/sync-place.ts';
import { freshContent, sha256 } from './support/content.ts';
import { allowed, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { containerTrash, localTrash } from './support/keepings.ts';

const files = 300;
const quietMs = 1_500;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f18', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

for (const side of ['here', 'there'] as const) {
  const where = side === 'here' ? 'on the laptop' : 'in the container';
  it(`F18 most files deleted ${where}`, async ({ task }) => {
    passesWhen(
      task,
      'it is held and asked, with the brake off it happens, and every file is in the trash of the other side byte for byte',
    );
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work' });
    const hashes: string[] = [];
    for (let index = 0; index < files; index++) {
      const content = freshContent(100 + index);
      hashes.push(sha256(content));
      rig.write('here', `many/d${index % 7}/f${index}`, content);
    }
    for (let index = 0; index < 40; index++) rig.write('here', `kept/f${index}`, freshContent());
    await rig.start();
    rig.read();
    await rig.converged(5_000);
    const [own, other] =
      side === 'here' ? [rig.here('many'), rig.remote('many')] : [rig.remote('many'), rig.here('many')];
    const count = (): number => (existsSync(other) ? readdirSync(other, { recursive: true }).length : 0);
    const before = count();
    rmSync(own, { recursive: true });
    const event = await held(rig.sync, { timeoutMs: allowed(6_000) });
    expect(event).toMatchObject({ choices: ['apply', 'restore', 'leave'] });
    await sleep(quietMs);
    expect(count()).toBe(before);
    expect(await rig.sync.stop()).toBe(0);

    await rig.start('--no-brake');
    await eventually(() => expect(count()).toBe(0), allowed(6_000));
    await rig.converged(5_000);
    const trash = side === 'here' ? containerTrash(rig.root) : localTrash(rig.home);
    expect(hashes.filter((hash) => !trash.has(hash))).toEqual([]);
    await rig.verify();
  });
}

it('F18 most files deleted slowly, with pauses between their folders', async ({ task }) => {
  passesWhen(
    task,
    'it is held before the last are gone, and what went before that is in the trash byte for byte',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  const hashes: string[] = [];
  for (let index = 0; index < files; index++) {
    const content = freshContent(100 + index);
    hashes.push(sha256(content));
    rig.write('here', `many/d${index % 7}/f${index}`, content);
  }
  rig.write('here', 'kept/f', freshContent());
  await rig.start();
  await rig.converged(5_000);
  for (const folder of readdirSync(rig.here('many'))) {
    rmSync(rig.here(`many/${folder}`), { recursive: true });
    await sleep(300);
  }
  await held(rig.sync, { timeoutMs: allowed(6_000) });
  await sleep(quietMs);
  const there = new Set([...rig.trees[1].read().values()].map((what) => what.replace('file ', '')));
  const trash = containerTrash(rig.root);
  expect(hashes.filter((hash) => there.has(hash)).length).toBeGreaterThan(0);
  expect(hashes.filter((hash) => !there.has(hash) && !trash.has(hash))).toEqual([]);
  await rig.verify();
});
