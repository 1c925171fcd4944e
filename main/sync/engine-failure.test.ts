import { describe, expect, it } from 'vitest';
import { openAncestor } from './ancestor.ts';
import type { SyncEngine } from './engine.ts';
import { createSyncEngine } from './engine.ts';
import { defaultBrake } from './plan-safety.ts';
import { anyNames } from './paths.ts';
import { createPathRules } from './rules.ts';
import { MemoryDisk } from './simulation/memory-disk.fixture.ts';
import { MemoryEndpoint } from './simulation/memory-endpoint.fixture.ts';
import { KeptVersions, MemoryFiles, MemoryTrash } from './simulation/memory-state.fixture.ts';
import { SimulatedClock } from './simulation/simulated-clock.fixture.ts';
import type { SyncState } from './sync-event.ts';

class Broken extends MemoryEndpoint {
  where: 'apply' | 'inspect' | 'scan' | undefined;
  override apply(...args: Parameters<MemoryEndpoint['apply']>): Promise<void> {
    return this.#breakAt('apply', () => super.apply(...args));
  }
  override inspect(...args: Parameters<MemoryEndpoint['inspect']>): ReturnType<MemoryEndpoint['inspect']> {
    return this.#breakAt('inspect', () => super.inspect(...args));
  }
  override scan(...args: Parameters<MemoryEndpoint['scan']>): ReturnType<MemoryEndpoint['scan']> {
    return this.#breakAt('scan', () => super.scan(...args));
  }
  async #breakAt<T>(where: Broken['where'], go: () => Promise<T>): Promise<T> {
    if (this.where === where) throw new TypeError('a bug');
    return go();
  }
}

/** Takes changes and never answers, as a helper may that sends pings all the while, until it is let go of. */
class Silent extends Broken {
  #release: () => void = () => undefined;
  silent = false;
  override apply(...args: Parameters<MemoryEndpoint['apply']>): Promise<void> {
    if (!this.silent) return super.apply(...args);
    return new Promise((_, reject) => {
      this.#release = () => reject(new DOMException('Let go of', 'AbortError'));
    });
  }
  override async [Symbol.asyncDispose](): Promise<void> {
    this.#release();
    await super[Symbol.asyncDispose]();
  }
}

interface Rig {
  readonly clock: SimulatedClock;
  readonly laptop: MemoryDisk;
  readonly container: MemoryDisk;
  readonly remote: Silent;
  readonly engine: SyncEngine;
  readonly states: readonly SyncState[];
}

async function open(): Promise<Rig> {
  const clock = new SimulatedClock();
  const laptop = new MemoryDisk(clock, 1n);
  const container = new MemoryDisk(clock, 2n);
  const remote = new Silent({
    disk: container,
    clock,
    container: 'container',
    pushes: true,
  });
  const states: SyncState[] = [];
  const engine = createSyncEngine({
    rules: createPathRules(),
    strategy: 'preferLocal',
    brake: defaultBrake,
    local: new MemoryEndpoint({ disk: laptop, clock, container: 'laptop', pushes: false }),
    connectRemote: () => Promise.resolve(remote),
    firstEpoch: 1,
    ancestor: await openAncestor(new MemoryFiles(), 'pair'),
    trash: new MemoryTrash(new KeptVersions(() => 0, { capBytes: 1e9, oncePerMinute: false })),
    clock,
    random: () => 0.5,
    localNames: anyNames,
    consent: undefined,
  });
  engine.onEvent((event) => {
    if (event.kind === 'state') states.push(event.state);
  });
  return { clock, laptop, container, remote, engine, states };
}

describe('a bug while the engine runs', () => {
  it('fails the wait for the first sync with the bug itself', async () => {
    const { clock, remote, engine, states } = await open();
    remote.where = 'scan';
    const waited = expect(engine.inSync()).rejects.toThrow(new TypeError('a bug'));
    await clock.advance(1000);
    await waited;
    expect(states.at(-1)).toEqual({ kind: 'failed', reason: new TypeError('a bug') });
    await engine.stop();
  });

  it('ends the engine when it shows in a transfer beside the loop', async () => {
    const { clock, laptop, remote, engine, states } = await open();
    await clock.advance(1000);
    expect(engine.state.kind).toBe('in-sync');
    remote.where = 'apply';
    laptop.write('a', 'one');
    await clock.advance(1000);
    expect(states.at(-1)).toEqual({ kind: 'failed', reason: new TypeError('a bug') });
    await engine.stop();
  });

  it('ends the engine when it shows while contents are compared', async () => {
    const { clock, laptop, container, remote, engine } = await open();
    laptop.write('a', 'one');
    container.write('a', 'two');
    remote.where = 'inspect';
    await clock.advance(1000);
    expect(engine.state).toEqual({ kind: 'failed', reason: new TypeError('a bug') });
    await expect(engine.inSync()).rejects.toThrow(new TypeError('a bug'));
  });
});

describe('a container that lives and answers nothing', () => {
  it('does not hold up the end of the engine', async () => {
    const { clock, laptop, remote, engine } = await open();
    await clock.advance(1000);
    remote.silent = true;
    laptop.write('a', 'one');
    await clock.advance(1000);
    const stopped = engine.stop();
    await clock.advance(10_000);
    await stopped;
    expect(engine.state.kind).toBe('stopped');
  });
});
