import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

const edits = 40;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f26', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F26 a file rewritten every 100 ms and one that grows, beside normal edits', async ({ task }) => {
  passesWhen(
    task,
    'edits are as fast as without, the file is never torn, and both sides are alike at most 1 s after it rests',
  );
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  for (const name of ['edited', 'hot']) rig.write('here', name, freshContent(4_000));
  await rig.start();
  await rig.converged(5_000);
  const latencies = async (): Promise<number> => {
    const taken: number[] = [];
    for (let edit = 0; edit < edits; edit++) {
      const content = freshContent(4_000);
      const began = performance.now();
      rig.write('here', 'edited', content);
      await eventually(
        () => expect(readFileSync(rig.remote('edited')).equals(content)).toBe(true),
        10_000,
        2,
      );
      taken.push(performance.now() - began);
    }
    return taken.sort((a, b) => a - b)[Math.floor(edits / 2)] ?? 0;
  };
  const calm = await latencies();
  rig.readThere(['hot', 'edited']);
  const rewriting = setInterval(() => rig.write('here', 'hot', freshContent(30_000)), 100);
  const growing = setInterval(() => appendFileSync(rig.here('app.log'), `${Date.now()}\n`), 20);
  const beside = await latencies();
  clearInterval(rewriting);
  clearInterval(growing);
  const took = await rig.converged(1_000);
  measured(
    task,
    `median edit ${calm.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside it, alike ${took} ms after it rests`,
  );
  expect(beside).toBeLessThan(Math.max(calm * 3, allowed(60)));
  await rig.verify();
});
