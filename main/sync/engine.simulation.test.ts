import { describe, expect, it } from 'vitest';
import { openAncestor } from './ancestor.ts';
import type { SyncEngine } from './engine.ts';
import { createSyncEngine } from './engine.ts';
import { defaultBrake } from './plan-safety.ts';
import { anyNames } from './paths.ts';
import { createPathRules } from './rules.ts';
import type { Faults } from './simulation.fixture.ts';
import {
  MemoryDisk,
  MemoryEndpoint,
  MemoryFiles,
  MemoryTrash,
  Random,
  SimulatedClock,
} from './simulation.fixture.ts';
import type { Strategy } from './strategy.ts';

const paths = ['a', 'b', 'c', 'd/a', 'd/b', 'd/e/a', 'd/e/b', 'f/a', 'f/b'];
const folders = ['d', 'd/e', 'f', 'g'];

/** A pair in memory whose history a seed decides: edits on both sides, lost connections, crashes, clock jumps. */
class Simulation {
  readonly random: Random;
  readonly clock = new SimulatedClock();
  readonly laptop = new MemoryDisk(this.clock, 1n);
  container = new MemoryDisk(this.clock, 10n);
  containers = 1;
  /** Old containers: what was only there is gone with them, as in life. */
  readonly gone: MemoryDisk[] = [];
  readonly files = new MemoryFiles();
  readonly trash = new MemoryTrash();
  readonly faults: Faults;
  readonly strategy: Strategy;
  readonly written = new Set<string>();
  readonly falseClaims: string[] = [];
  engine: SyncEngine | undefined;
  remote: MemoryEndpoint | undefined;
  epoch = 1;
  #next = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.faults = {
      random: this.random,
      lose: this.random.pick([0, 0.002, 0.01, 0.03]),
      delay: this.random.pick([0, 2, 20]),
    };
    this.strategy = this.random.pick<Strategy>(['preferLocal', 'preferRemote', 'preferLocal', 'keepAll']);
  }

  async start(): Promise<void> {
    const engine = createSyncEngine({
      rules: createPathRules(),
      strategy: this.strategy,
      brake: { ...defaultBrake, enabled: false, holdFirstSyncOnLaptop: false },
      local: new MemoryEndpoint({ disk: this.laptop, clock: this.clock, container: 'laptop', pushes: false }),
      connectRemote: async () => {
        await this.clock.sleep(this.random.below(10));
        this.remote = new MemoryEndpoint({
          disk: this.container,
          clock: this.clock,
          container: `container-${this.containers}`,
          pushes: true,
          faults: this.faults,
        });
        return this.remote;
      },
      firstEpoch: this.epoch++,
      ancestor: await openAncestor(this.files, 'pair'),
      trash: this.trash,
      clock: this.clock,
      random: () => this.random.next(),
      localNames: anyNames,
      consent: undefined,
    });
    engine.onEvent((event) => {
      if (event.kind === 'state' && event.state.kind === 'failed') throw event.state.reason;
      this.trace(event);
    });
    this.engine = engine;
  }

  /** Ends without saving, as a killed process does; its endpoints can do nothing any more. */
  async crash(): Promise<void> {
    const { engine } = this;
    this.remote?.kill();
    const saved = new Map(this.files.files);
    await this.stop(engine);
    this.files.files.clear();
    for (const [path, content] of saved) this.files.files.set(path, content);
    if (this.random.chance(0.3)) this.files.tear(this.random.below(60));
    await this.start();
  }

  /** With SYNC_TRACE set, what happens is told in order: the way to read a failing seed. */
  trace(what: unknown): void {
    if (process.env['SYNC_TRACE'] === undefined) return;
    const text = JSON.stringify(what, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    process.stderr.write(`${this.clock.monotonic()} ${text}\n`);
  }

  async stop(engine: SyncEngine | undefined): Promise<void> {
    let stopped = false;
    const done = engine?.stop().then(() => {
      stopped = true;
    });
    for (let turn = 0; turn < 100 && !stopped; turn++) await this.clock.advance(100);
    if (!stopped) throw new Error('The engine does not stop');
    await done;
  }

  edit(disk: MemoryDisk): void {
    const { random } = this;
    const path = random.pick(paths);
    const kind = random.below(20);
    this.trace({ edit: disk === this.laptop ? 'laptop' : 'container', kind, path });
    if (kind < 11) {
      const content = `${disk === this.laptop ? 'L' : 'R'}${this.#next++}`.padEnd(
        random.pick([4, 4, 8]),
        '.',
      );
      this.written.add(content);
      disk.write(path, content, random.chance(0.1) ? 0o755 : 0o644);
    } else if (kind < 14) disk.remove(random.pick(paths));
    else if (kind < 15) disk.remove(random.pick(folders));
    else if (kind < 17) disk.move(random.pick([...paths, ...folders]), random.pick([...paths, ...folders]));
    else if (kind < 18 && disk.tree.get(path) !== undefined)
      disk.changeMode(path, random.pick([0o644, 0o755]));
    else if (kind < 19 && disk.tree.get(path) === undefined) disk.makeFolder(random.pick(folders));
    else {
      const twin = `twin${random.below(3)}`;
      this.written.add(twin);
      disk.write(path, twin);
    }
  }

  replaceContainer(): void {
    this.gone.push(this.container);
    this.remote?.kill();
    this.container = new MemoryDisk(this.clock, 10n + BigInt(this.containers++));
    this.container.write('a', 'image');
    this.container.write('d/a', 'image');
  }

  /** Every content that a program of the user wrote and did not itself replace or remove has to be somewhere. */
  everywhere(): Set<string> {
    return new Set([
      ...this.laptop.contents.values(),
      ...this.container.contents.values(),
      ...this.laptop.trash,
      ...this.container.trash,
      ...this.trash.contents,
    ]);
  }
}

/** Contents that are on a side now. */
function present(...disks: readonly MemoryDisk[]): string[] {
  return disks.flatMap((disk) => [...disk.contents.values()]);
}

async function runSeed(seed: number): Promise<void> {
  const sim = new Simulation(seed);
  const { random } = sim;
  if (random.chance(0.5)) {
    sim.container.write('a', 'image');
    sim.container.write('d/a', 'image');
  }
  for (let index = random.below(6); index > 0; index--) sim.edit(sim.laptop);
  await sim.start();
  let replaced = false;
  for (let step = 10 + random.below(40); step > 0; step--) {
    const kind = random.below(30);
    if (kind >= 21) sim.trace({ fault: kind });
    if (kind < 12) sim.edit(sim.laptop);
    else if (kind < 21) sim.edit(sim.container);
    else if (kind < 22) sim.remote?.kill();
    else if (kind < 23) await sim.crash();
    else if (kind < 24) sim.clock.jump(random.pick([-3_600_000, 3_600_000, -5, 86_400_000]));
    else if (kind < 25 && random.chance(0.3)) {
      sim.replaceContainer();
      replaced = true;
    } else if (kind < 26) sim.container.full = !sim.container.full;
    await sim.clock.advance(random.pick([0, 0, 1, 5, 30, 300, 3000]));
  }
  // From here on only the engine acts: nothing that is anywhere now may get lost.
  const before = present(sim.laptop, sim.container);
  sim.container.full = false;
  sim.faults.lose = 0;
  await sim.clock.advance(200_000);
  const { engine } = sim;
  expect(engine?.state.kind, `seed ${seed}`).toBe('in-sync');
  const held = new Set(engine?.held.flatMap((each) => each.paths));
  const [left, right] = [sim.laptop.picture(), sim.container.picture()];
  const under = (path: string): boolean =>
    [...held].some((each) => path === each || path.startsWith(`${each}/`));
  const compared = (side: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(side).filter(([path]) => !under(path)));
  expect(compared(left), `seed ${seed} converges`).toEqual(compared(right));
  if (sim.strategy !== 'keepAll') expect([...held], `seed ${seed} holds nothing`).toEqual([]);
  const after = sim.everywhere();
  // An image's own files may be replaced by what was agreed; the image has them.
  const lost = before.filter((content) => !after.has(content) && !(replaced && content === 'image'));
  expect(lost, `seed ${seed} loses nothing`).toEqual([]);
  await sim.stop(engine);
}

const seeds = Number(process.env['SYNC_SEEDS'] ?? 300);
const firstSeed = Number(process.env['SYNC_FIRST_SEED'] ?? 1);

describe('the engine under faults', () => {
  it(`converges and loses nothing in ${seeds} histories`, { timeout: 600_000 }, async () => {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      try {
        await runSeed(seed);
      } catch (error) {
        throw Object.assign(error as Error, { message: `seed ${seed}: ${(error as Error).message}` });
      }
    }
  });
});
