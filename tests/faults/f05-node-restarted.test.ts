import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, it } from 'vitest';
import { barePod, podsOf } from '../support/sync-place.ts';
import { restarted } from './support/components.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f05', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

for (const component of ['kubelet', 'containerd'] as const) {
  it(`F5 ${component} killed and started again during a transfer`, async ({ task }) => {
    passesWhen(task, 'both sides are in sync at most 10 s after the node is ready again');
    await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 2_000 });
    rig.write('here', 'first', freshContent());
    await rig.start();
    rig.read();
    for (let index = 0; index < 400; index++)
      rig.write('here', `d${index % 20}/f${index}`, freshContent(20_000));
    for (let index = 0; index < 100; index++) rig.write('there', `made/g${index}`, freshContent(20_000));
    await sleep(200);
    await restarted(component);
    rig.write('here', 'd0/f0', freshContent());
    rig.write('there', 'made/g0', freshContent());
    const states = rig.honesty.states
      .filter(({ state }) => state === 'reconnecting')
      .map(({ message }) => message);
    measured(
      task,
      `in sync ${await rig.converged(10_000)} ms after the cluster was ready; ${states.at(-1) ?? ''}`,
    );
    await rig.verify();
  }, 180_000);
}
