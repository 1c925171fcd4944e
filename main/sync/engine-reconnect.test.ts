import { expect, it } from 'vitest';
import { SlipwayError } from '../base/errors.ts';
import { openAncestor } from './ancestor.ts';
import { createSyncEngine } from './engine.ts';
import { anyNames } from './paths.ts';
import { defaultBrake } from './plan-safety.ts';
import { createPathRules } from './rules.ts';
import { MemoryDisk } from './simulation/memory-disk.fixture.ts';
import { MemoryEndpoint } from './simulation/memory-endpoint.fixture.ts';
import { KeptVersions, MemoryFiles, MemoryTrash } from './simulation/memory-state.fixture.ts';
import { SimulatedClock } from './simulation/simulated-clock.fixture.ts';

/** An engine whose connections are made and broken by the test; `dials` are the times of its tries. */
async function open(refuses: () => boolean) {
  const clock = new SimulatedClock();
  const laptop = new MemoryDisk(clock, 1n);
  const container = new MemoryDisk(clock, 2n);
  const dials: number[] = [];
  let remote: MemoryEndpoint | undefined;
  const engine = createSyncEngine({
    rules: createPathRules(),
    strategy: 'preferLocal',
    brake: defaultBrake,
    local: new MemoryEndpoint({ disk: laptop, clock, container: 'laptop', pushes: false }),
    connectRemote: () => {
      dials.push(clock.monotonic());
      if (refuses())
        return Promise.reject(new SlipwayError({ code: 'stream.refused', message: 'No.', next: '' }));
      remote = new MemoryEndpoint({ disk: container, clock, container: 'container', pushes: true });
      return Promise.resolve(remote);
    },
    firstEpoch: 1,
    ancestor: await openAncestor(new MemoryFiles(), 'pair'),
    trash: new MemoryTrash(new KeptVersions(() => 0, { capBytes: 1e9, oncePerMinute: false })),
    clock,
    random: () => 1,
    localNames: anyNames,
    consent: undefined,
  });
  return {
    clock,
    laptop,
    engine,
    dials,
    lose: () => remote?.kill(),
  };
}

it('comes back soon, however often a connection is lost that got something done', async () => {
  const { clock, engine, lose } = await open(() => false);
  await clock.advance(1000);
  for (let cut = 0; cut < 20; cut++) {
    expect(engine.state.kind).toBe('in-sync');
    lose();
    await clock.advance(0);
    expect(engine.state.kind).toBe('connecting');
    await clock.advance(1500);
  }
  await engine.stop();
});

it('makes no more tries for edits that come meanwhile', async () => {
  let refuses = false;
  const { clock, laptop, engine, dials, lose } = await open(() => refuses);
  await clock.advance(1000);
  refuses = true;
  lose();
  for (let edit = 0; edit < 600; edit++) {
    laptop.write('hot', `edit ${edit}`);
    await clock.advance(100);
  }
  // A minute of doubling pauses, the longest of which is 15 s.
  expect(dials.length).toBeLessThan(12);
  refuses = false;
  engine.nudge();
  await clock.advance(1000);
  expect(engine.state.kind).toBe('in-sync');
  await engine.stop();
});
