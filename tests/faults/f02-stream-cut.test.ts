import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

/** Literally two minutes. */
const seconds = 30;
const cutEveryMs = 2_000;
const editsPerSecond = 5;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f02', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F2 streams reset every 2 s while both sides are edited', async ({ task }) => {
  passesWhen(task, 'no edit is lost, and both sides are in sync at most 1.5 s after the last cut');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', proxy: true });
  for (let index = 0; index < 50; index++) rig.write('here', `d${index % 5}/f${index}`, freshContent());
  await rig.start();
  rig.read();
  const began = Date.now();
  let [cuts, cut] = [0, 0];
  for (let edit = 0; Date.now() - began < seconds * 1000; edit++) {
    // Each side has files of its own, so that nothing is a conflict.
    rig.write('here', `d${edit % 5}/f${edit % 50}`, freshContent(500 + edit * 7));
    if (edit % 2 === 0) rig.write('there', `made/g${edit % 20}`, freshContent(300 + edit));
    if (Date.now() - began > (cuts + 1) * cutEveryMs) {
      cut += (await rig.proxy?.run({ kind: 'cut' })) ?? 0;
      cuts++;
    }
    await sleep(1000 / editsPerSecond);
  }
  rig.write('here', 'last', freshContent());
  cut += (await rig.proxy?.run({ kind: 'cut' })) ?? 0;
  // Two streams at least each time, but for those that met a reconnect.
  expect(cut).toBeGreaterThan(cuts);
  measured(
    task,
    `${cuts + 1} times, ${cut} connections reset, in sync ${await rig.converged(1_500)} ms after the last`,
  );
  await rig.verify();
});
