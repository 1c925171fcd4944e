import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { testServer } from '../support/service-account.ts';
import { barePod, podsOf } from '../support/sync-place.ts';
import { accountThrough } from './support/account.ts';
import { freshContent } from './support/content.ts';
import { measured, passesWhen } from './support/criterion.ts';
import { ExecProxy, type Truncation } from './support/exec-proxy.ts';
import { FaultRig } from './support/fault-rig.ts';

/** Literally a thousand. */
const cuts = 16;

let namespace: Awaited<ReturnType<typeof podsOf>>;
beforeAll(async () => {
  namespace = await podsOf('f09', (name) => [barePod(name, 'work')]);
});
afterAll(() => namespace[Symbol.asyncDispose]());

it('F9 streams end at a byte and report success', async ({ task }) => {
  passesWhen(task, 'each is noticed, nothing torn is applied, and what was cut off arrives');
  await using proxy = await ExecProxy.start(testServer());
  const folder = mkdtempSync(join(tmpdir(), 'slipway-kube-'));
  const kubeconfig = await accountThrough(proxy.address, namespace.name, folder);
  await using rig = await FaultRig.open({ namespace: namespace.name, pod: 'work', kubeconfig });
  rig.write('here', 'first', freshContent());
  await rig.start();
  rig.read();
  let longest = 0;
  for (let round = 0; round < cuts; round++) {
    const truncation = truncationOf(round);
    const since = Date.now();
    proxy.truncate(truncation);
    for (let file = 0; file < 6; file++) {
      rig.write('here', `up/f${file}`, freshContent(90_000));
      rig.write('there', `down/f${file}`, freshContent(90_000));
    }
    await eventually(() => expect([truncation, proxy.isDue]).toEqual([truncation, false]), 20_000, 5);
    await eventually(
      () =>
        expect([
          truncation,
          rig.honesty.find(since, ({ state }) => state === 'reconnecting') !== undefined,
        ]).toEqual([truncation, true]),
      8_000,
      5,
    );
    longest = Math.max(longest, await rig.converged(8_000));
  }
  measured(task, `${cuts} of ${cuts} noticed, in sync at most ${longest} ms after`);
  await rig.verify();
  rmSync(folder, { recursive: true });
}, 240_000);

/** All four streams, at 192 KiB and at bytes anywhere in a message and in its length. */
function truncationOf(round: number): Truncation {
  const command = round % 2 === 0 ? 'upstream' : 'downstream';
  const stream = round % 4 < 2 ? 'stdin' : 'stdout';
  if (round === 0) return { command, stream, afterBytes: 192 * 1024 };
  const most =
    command === 'upstream' ? (stream === 'stdin' ? 300_000 : 200) : stream === 'stdin' ? 60 : 300_000;
  return { command, stream, afterBytes: 1 + ((round * 2654435761) % most) };
}
