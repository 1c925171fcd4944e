import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperProcesses } from './support/helpers.ts';

/** Literally a hundred. */
const kills = 12;
const files = 1_000;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f01', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F1 helper killed at random points of an upload of 1,000 files', async ({ task }) => {
  passesWhen(task, 'each time it comes back and is in sync within 5 s, and nobody sees a part of a file');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 2_000 });
  rig.write('here', 'first', freshContent());
  await rig.start();
  rig.read();
  let longest = 0;
  for (let kill = 0; kill < kills; kill++) {
    for (let index = 0; index < files; index++)
      rig.write('here', `d${index % 20}/f${index}`, freshContent(1_500));
    await sleep(Math.random() * 800);
    const running = await eventually(() => {
      const pids = helperProcesses(rig.root);
      if (pids.length === 0) throw new Error('No helper runs');
      return pids;
    });
    // Both of them, or one.
    const victims = kill % 3 === 0 ? running : running.slice(kill % 2, (kill % 2) + 1);
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    longest = Math.max(longest, await rig.converged(5_000));
  }
  expect(helperProcesses(rig.root)).toHaveLength(2);
  measured(task, `${kills} kills, in sync at most ${longest} ms after`);
  await rig.verify();
}, 240_000);
