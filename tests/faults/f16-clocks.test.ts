import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { freshContent } from './support/content.ts';
import { allowed, measured, passesWhen } from './support/criterion.ts';
import { FaultRig } from './support/fault-rig.ts';

/** Literally ten thousand. */
const edits = 240;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f16', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

const hour = 3_600;
/** What becomes of a file's time after an edit, in seconds: the clocks and file systems that there are. */
const times: readonly (readonly [
  what: string,
  time: (now: number, edit: number, before: number) => number,
])[] = [
  ['an hour ahead', (now) => now + hour],
  ['an hour behind', (now) => now - hour],
  ['a day ahead', (now) => now + 24 * hour],
  ['a day behind', (now) => now - 24 * hour],
  ['whole seconds', (now) => Math.floor(now)],
  ['two seconds', (now) => Math.floor(now / 2) * 2],
  ['going backwards', (_now, edit) => 1_700_000_000 - edit],
  ['unchanged by the edit', (_now, _edit, before) => before],
];

it('F16 clocks apart, coarse times, times going backwards, edits of the same size in the same second', async ({
  task,
}) => {
  passesWhen(task, 'every edit arrives');
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', honestyEveryMs: 0 });
  for (const side of ['here', 'there'] as const) rig.write(side, `${side}/f`, freshContent());
  await rig.start();
  await rig.converged(5_000);
  let [arrived, longest] = [0, 0];
  for (let edit = 0; edit < edits; edit++) {
    const side = edit % 2 === 0 ? 'here' : 'there';
    const [, time] = times[Math.floor(edit / 2) % times.length] ?? [];
    const [own, other] =
      side === 'here'
        ? [rig.here('here/f'), rig.remote('here/f')]
        : [rig.remote('there/f'), rig.here('there/f')];
    const before = statSync(own).mtimeMs / 1000;
    // In place and of one size, so that neither inode nor size tells.
    const content = freshContent(64).subarray(-64);
    writeFileSync(own, content);
    const wanted = time?.(Date.now() / 1000, edit, before) ?? 0;
    utimesSync(own, wanted, wanted);
    const began = Date.now();
    await eventually(
      () => expect([edit, readFileSync(other).equals(content)]).toEqual([edit, true]),
      allowed(4_000),
      2,
    );
    arrived++;
    longest = Math.max(longest, Date.now() - began);
    if (edit % 10 === 0) await sleep(20);
  }
  measured(task, `${arrived} of ${edits} arrived, the slowest after ${longest} ms`);
  rig.ledger.forgiveAll();
  await rig.verify();
}, 180_000);
