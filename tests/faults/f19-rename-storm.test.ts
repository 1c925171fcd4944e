import { mkdirSync, renameSync, rmSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barePod, eventsOf, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

/** Literally 10,000 files and 50 renames. */
const files = 3_000;
const renames = 20;
const bytes = 2_000;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f19', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

for (const side of ['here', 'there'] as const) {
  it(`F19 folder of ${files} files renamed ${renames} times at 5 a second ${side === 'here' ? 'on the laptop' : 'in the container'}`, async ({
    task,
  }) => {
    passesWhen(
      task,
      'both sides are in sync at most 5 s after, and at most 1 % of the bytes travelled again',
    );
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
    for (let index = 0; index < files; index++)
      rig.write('here', `n0/d${index % 50}/f${index}`, freshContent(bytes));
    await rig.start();
    await rig.converged(10_000);
    const since = rig.sync.events.length;
    const root = (path: string): string => (side === 'here' ? rig.here(path) : rig.remote(path));
    for (let rename = 0; rename < renames; rename++) {
      renameSync(root(`n${rename}`), root(`n${rename + 1}`));
      await sleep(200);
    }
    const took = await rig.converged(5_000);
    const sent = eventsOf(rig.sync, 'sync', since).reduce((sum, event) => sum + event.bytes, 0);
    measured(task, `in sync ${took} ms after, ${((sent / files / bytes) * 100).toFixed(2)} % sent again`);
    expect(sent).toBeLessThanOrEqual(files * bytes * 0.01);
    expect(eventsOf(rig.sync, 'held')).toEqual([]);
    await rig.verify();
  }, 180_000);
}

it('F19 names that change in case only, and files that become folders and back', async ({ task }) => {
  passesWhen(task, 'both sides are in sync at most 5 s after, nothing is lost');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work' });
  for (let index = 0; index < 30; index++) rig.write('here', `readme${index}`, freshContent());
  await rig.start();
  for (let round = 0; round < 6; round++) {
    for (const [side, from, to] of [
      ['here', 0, 15],
      ['there', 15, 30],
    ] as const) {
      const root = (path: string): string => (side === 'here' ? rig.here(path) : rig.remote(path));
      for (let index = from; index < to; index++) {
        const [lower, upper] = [`readme${index}`, `README${index}`];
        if (existsSync(root(lower))) renameSync(root(lower), root(upper));
        else renameSync(root(upper), root(lower));
      }
    }
    await sleep(150);
  }
  await rig.converged(5_000);
  for (let round = 0; round < 6; round++) {
    rmSync(rig.here('flip'), { recursive: true, force: true });
    if (round % 2 === 0) mkdirSync(rig.here('flip'));
    if (round % 2 === 0) rig.write('here', 'flip/inside', freshContent());
    else rig.write('here', 'flip', freshContent());
    await sleep(round < 3 ? 300 : 20);
  }
  // What lay in a folder that went as a whole was given up by the test.
  await rig.converged(5_000);
  rig.ledger.forgiveAll();
  await rig.verify();
});
