import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barePod, podsOf } from '../support/sync-place.ts';
import { eventually } from '../support/eventually.ts';
import { stopped } from './support/components.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';
import { helperProcesses } from './support/helpers.ts';

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f03', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

// Literally 5, 30 and 120 s: what is longer than a few reconnects shows nothing new.
for (const seconds of [5, 30]) {
  it(`F3 API server stopped for ${seconds} s`, async ({ task }) => {
    passesWhen(
      task,
      'a stall is shown within 6 s, edits wait, in sync at most 3 s after it goes on, and no second helper stays',
    );
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work' });
    for (let index = 0; index < 50; index++) rig.write('here', `f${index}`, freshContent());
    await rig.start();
    rig.read();
    const began = Date.now();
    {
      using _stopped = stopped('kube-apiserver');
      for (let edit = 0; edit < seconds; edit++) {
        rig.write('here', `f${edit % 50}`, freshContent());
        rig.write('there', `g${edit % 50}`, freshContent());
        await sleep(Math.max(0, began + (edit + 1) * 1000 - Date.now()));
      }
      if (seconds > 6) {
        const shown = rig.honesty.find(began, ({ state }) => state === 'reconnecting');
        expect((shown?.at ?? Infinity) - began).toBeLessThan(allowed(7_000));
        measured(task, `shown as lost after ${(shown?.at ?? 0) - began} ms`);
        expect(rig.honesty.saysInSync).toBe(false);
      }
    }
    measured(task, `in sync ${await rig.converged(3_000)} ms after`);
    await eventually(() => expect(helperProcesses(rig.root)).toHaveLength(2), 15_000);
    await rig.verify();
  });
}
