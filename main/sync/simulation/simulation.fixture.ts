import { openAncestor } from '../ancestor.ts';
import type { Direction } from '../pair-settings.ts';
import type { SyncEngine } from '../engine.ts';
import { createSyncEngine } from '../engine.ts';
import type { Endpoint } from '../endpoint.ts';
import { compileGitLines } from '../ignore/git-dialect.ts';
import { ancestorsOf } from '../tree.ts';
import { anyNames, linkProblem } from '../paths.ts';
import { defaultBrake } from '../plan-safety.ts';
import { createRemoteEndpoint } from '../remote-endpoint.ts';
import type { PathRules } from '../rules.ts';
import { createPathRules } from '../rules.ts';
import { SlipwayError } from '../../base/errors.ts';
import { foldedName } from '../name-twins.ts';
import { Ledger, isOfImage } from './ledger.fixture.ts';
import { MemoryDisk } from './memory-disk.fixture.ts';
import type { LaptopFaults } from './memory-endpoint.fixture.ts';
import { MemoryEndpoint, rootGone } from './memory-endpoint.fixture.ts';
import type { WireFaults } from './memory-helper.fixture.ts';
import { MemoryHelper } from './memory-helper.fixture.ts';
import { KeptVersions, MemoryFiles, MemoryTrash } from './memory-state.fixture.ts';
import type { Random } from './random.fixture.ts';
import type { Scenario } from './scenario.fixture.ts';
import { AppProcess, SimulatedClock } from './simulated-clock.fixture.ts';
import { SimulatedContainer } from './simulated-container.fixture.ts';

/** Most simulated milliseconds until an event is told and taken in, besides what the wire takes. */
const newsMs = 100;
/** Names that need consent in guarded histories. */
const consentNames = new Set(['c', 'twin1']);

/** A pair in memory: two disks, a wire and the engine, with everything that can go wrong with them. */
export class Simulation {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly clock = new SimulatedClock();
  readonly ledger: Ledger;
  readonly laptop: MemoryDisk;
  container: SimulatedContainer;
  readonly files = new MemoryFiles();
  readonly kept: KeptVersions;
  readonly wire: WireFaults;
  readonly laptopFaults: LaptopFaults;
  rules: PathRules;
  app: AppProcess;
  local: MemoryEndpoint | undefined;
  helper: MemoryHelper | undefined;
  engine: SyncEngine | undefined;
  /** Paths that somebody chose to leave different, or about which a problem was told. */
  readonly left = new Set<string>();
  readonly reported = new Set<string>();
  readonly #trace: ((line: string) => void) | undefined;
  #containers = 0;
  #next = 0;
  #quietSince = 0;
  #leastEpoch = 0;
  #rootsReplaced = false;
  /** Some start had excludes. */
  #excluded = false;

  constructor(random: Random, scenario: Scenario, trace?: (line: string) => void) {
    this.random = random;
    this.scenario = scenario;
    this.#trace = trace;
    const { guarded, strategy, direction } = scenario;
    this.kept = new KeptVersions(() => this.clock.now(), {
      capBytes: scenario.laptopTrashBytes,
      oncePerMinute: scenario.oncePerMinute,
    });
    this.ledger = new Ledger({
      clock: this.clock,
      strategy,
      disk: (place) => (place === 'laptop' ? this.laptop : this.container.disk),
      laptopTrash: this.kept,
      untouchable: direction === 'both' ? undefined : direction === 'up' ? 'laptop' : 'container',
      consent: guarded ? consentNames : new Set(),
    });
    this.wire = {
      random,
      lose: scenario.lose,
      delay: scenario.wireDelay,
      disorder: scenario.disorder,
      overflow: scenario.overflow,
      scanFails: scenario.scanFails,
      hostileNames: scenario.hostileNames,
      sliceBytes: scenario.sliceBytes,
    };
    this.laptopFaults = { random, delay: scenario.laptopDelay, overflow: scenario.overflow };
    this.rules = createPathRules({ direction });
    this.laptop = new MemoryDisk(this.clock, 1n, {
      observer: this.ledger.observerOf('laptop', this.kept, () => this.laptop),
      granularityNs: scenario.laptopGranularityNs,
      foldsCase: scenario.foldsCase,
    });
    this.container = this.#newContainer();
    this.app = new AppProcess(this.clock);
  }

  /** Starts the app's process and its engine, with the rules of this start. */
  async start(excludes: readonly string[]): Promise<void> {
    const { scenario } = this;
    const app = new AppProcess(this.clock);
    this.app = app;
    this.rules = createPathRules({
      exclude: compileGitLines(excludes),
      direction: scenario.direction,
    });
    this.container.rules = this.rules;
    this.files.app = app;
    this.files.random = this.random;
    this.#excluded ||= excludes.length > 0;
    this.trace({ start: excludes });
    const ancestor = await openAncestor(this.files, 'pair');
    const local = new MemoryEndpoint({
      disk: this.laptop,
      clock: app,
      app,
      container: 'laptop',
      pushes: false,
      faults: this.laptopFaults,
      kept: this.kept,
      umask: scenario.hasModes ? 0o022 : undefined,
    });
    this.local = local;
    let connected = false;
    const engine = createSyncEngine({
      rules: this.rules,
      strategy: scenario.strategy,
      brake: scenario.guarded
        ? { enabled: true, files: 1, share: 0.3, holdFirstSyncOnLaptop: true }
        : { ...defaultBrake, enabled: false, holdFirstSyncOnLaptop: false },
      local,
      connectRemote: async (epoch) => {
        ancestor.setFacts({ epoch });
        await ancestor.flush();
        const remote = await this.#connect(app, epoch, connected);
        connected = true;
        return remote;
      },
      firstEpoch: Math.max(Math.floor(this.clock.now()), ancestor.state.facts.epoch + 1, this.#leastEpoch),
      ancestor,
      trash: new MemoryTrash(this.kept, app),
      remoteTrashCapBytes: this.container.kept.capBytes,
      clock: app,
      random: () => this.random.next(),
      localNames: scenario.foldsCase ? { ...anyNames, caseInsensitive: true } : anyNames,
      consent: scenario.guarded ? { names: consentNames, prefixes: [] } : undefined,
    });
    engine.onEvent((event) => {
      if (app.killed) return;
      this.trace(event);
      if (event.kind === 'state' && event.state.kind === 'failed')
        this.ledger.wrong(`the engine failed: ${event.state.reason.stack ?? event.state.reason.message}`);
      if (event.kind === 'problem') this.reported.add(event.problem.path);
      if (event.kind === 'file') this.reported.delete(event.path);
      if (event.kind === 'state') this.checkClaim();
    });
    this.engine = engine;
    this.disturb();
  }

  async #connect(app: AppProcess, epoch: number, again: boolean): Promise<Endpoint> {
    await app.sleep(this.random.below(10));
    await app.step();
    const { container } = this;
    if (container.disk.gone && again) throw rootGone('remote');
    // A helper in the middle of a batch is waited for.
    for (let wait = 0; container.busy && wait < 100; wait++) await app.sleep(20);
    if (!container.claim(epoch))
      throw new SlipwayError({
        code: 'helper.superseded',
        message: 'Another one is in charge',
        next: 'Stop.',
      });
    this.helper = new MemoryHelper({
      container,
      clock: this.clock,
      app,
      faults: this.wire,
      epoch,
      onStalled: (until) => {
        this.ledger.stalledUntil = Math.max(this.ledger.stalledUntil, until);
      },
    });
    return createRemoteEndpoint(this.helper, { container: container.id });
  }

  /** Kills the app at one of its next awaits, and starts it again. */
  async crash(excludes: readonly string[]): Promise<void> {
    const { app } = this;
    app.killAfter(1 + this.random.below(60));
    await this.clock.advance(this.random.pick([0, 5, 200]), () => app.killed);
    app.kill();
    this.trace('killed');
    if (this.random.chance(0.15)) {
      this.files.tear(this.random.below(60));
      // With the clock set back as well, an epoch could come again; such a helper would only be refused.
      this.#leastEpoch = this.container.epoch + 1;
    }
    await this.clock.advance(this.random.pick([0, 0, 50, 5000]));
    await this.start(excludes);
  }

  /** Stops the app as a user does, and starts it again. */
  async restart(excludes: readonly string[]): Promise<void> {
    await this.stop();
    await this.start(excludes);
  }

  async stop(): Promise<void> {
    let stopped = false;
    const done = this.engine?.stop().then(() => {
      stopped = true;
    });
    await this.clock.advance(20_000, () => stopped);
    if (!stopped) {
      this.ledger.wrong('the engine does not stop');
      this.app.kill();
      return;
    }
    await done;
    this.app.kill();
  }

  #newContainer(skewMs = this.scenario.containerSkewMs): SimulatedContainer {
    const { containerTrashBytes: capBytes, oncePerMinute } = this.scenario;
    const kept = new KeptVersions(() => this.clock.now(), { capBytes, oncePerMinute });
    const disk: MemoryDisk = new MemoryDisk(this.clock, 10n + BigInt(this.#containers), {
      observer: this.ledger.observerOf('container', kept, () => disk),
      granularityNs: this.scenario.containerGranularityNs,
      skewMs,
    });
    return new SimulatedContainer({
      id: `container-${this.#containers++}`,
      disk,
      kept,
      rules: this.rules,
      wrong: (what) => this.ledger.wrong(what),
    });
  }

  /** What an image brings along. */
  fillImage(): void {
    this.container.disk.write('a', 'image');
    this.container.disk.write('d/a', 'image');
  }

  /** Another folder is at the path of one side: what is missing in it was not deleted. */
  rootReplaced(place: 'laptop' | 'container'): void {
    this.#rootsReplaced = true;
    this.ledger.rootReplaced(place);
  }

  /** Another pod: empty, with the image's files, or with a volume that was kept. */
  replaceContainer(how: 'empty' | 'image' | 'kept'): void {
    const old = this.container;
    this.helper?.end(this.random.chance(0.5) ? 'cut' : 'stalled');
    this.container = this.#newContainer(old.disk.skewMs);
    this.rootReplaced('container');
    if (how === 'image') this.fillImage();
    if (how === 'kept') {
      for (const [path, entry] of old.disk.tree.entries()) {
        const content = old.disk.contents.get(path);
        if (entry.kind === 'directory') this.container.disk.makeFolder(path, entry.mode);
        else if (entry.kind === 'symlink') this.container.disk.link(path, entry.target);
        else if (entry.kind === 'file' && content !== undefined)
          this.container.disk.write(path, content, { mode: entry.mode, mtimeNs: entry.mtimeNs });
      }
    }
    this.disturb();
  }

  /** A content that nobody wrote before. */
  newContent(place: 'laptop' | 'container'): string {
    const content = `${place === 'laptop' ? 'L' : 'R'}${this.#next++}`;
    return content.padEnd(this.random.pick([5, 5, 9]), '.');
  }

  /** Nothing that happened before is expected to be known. */
  disturb(): void {
    this.#quietSince = this.clock.monotonic();
  }

  /** "In sync" while the sides differ is a lie, except where it is held, reported, left, or too fresh to be known. */
  checkClaim(): void {
    const { engine, ledger } = this;
    if (engine?.state.kind !== 'in-sync' || this.app.killed) return;
    const now = this.clock.monotonic();
    const fresh = newsMs + 5 * this.scenario.wireDelay + 5 * this.scenario.laptopDelay;
    if (now - this.#quietSince < fresh) return;
    const at = (path: string): number =>
      Math.max(ledger.touched.laptop.get(path) ?? 0, ledger.touched.container.get(path) ?? 0);
    const known = this.differences().filter((path) => now - at(path) >= fresh);
    // What only waits for something held is counted, not named.
    if (known.length > engine.state.held - engine.held.length)
      ledger.wrong(`in sync, but ${known.map((path) => this.describe(path)).join()}`);
  }

  /** What both sides hold at a path, for a complaint. */
  describe(path: string): string {
    const of = (disk: MemoryDisk): string =>
      disk.contents.get(path) ?? disk.tree.get(path)?.kind ?? 'nothing';
    const known = this.engine?.know(path);
    this.trace({ path, known, link: [this.laptop.tree.get(path), this.container.disk.tree.get(path)] });
    return `${path} is ${of(this.laptop)} on the laptop and ${of(this.container.disk)} in the container`;
  }

  /** Paths at which the sides differ although nobody was asked or told about it. */
  differences(): readonly string[] {
    const { engine, scenario } = this;
    // Nothing is compared: it remembers what differs, and nobody has promised more.
    if (scenario.strategy === 'disabled') return [];
    const included = (path: string, isDirectory: boolean): boolean =>
      !this.rules.excluded(path, isDirectory) && !hasExcludedParent(path, this.rules);
    const picture = (disk: MemoryDisk): Map<string, string> => {
      const lines = disk.picture(included);
      if (scenario.hasModes) return lines;
      return new Map([...lines].map(([path, line]) => [path, line.replace(/^x /, '- ')]));
    };
    const [left, right] = [picture(this.laptop), picture(this.container.disk)];
    const different = [...new Set([...left.keys(), ...right.keys()])].filter(
      (path) => left.get(path) !== right.get(path),
    );
    if (different.length === 0) return different;
    const excused = [...(engine?.held.flatMap((each) => each.paths) ?? []), ...this.left, ...this.reported];
    const touches = (path: string, each: string): boolean =>
      path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`);
    return different.filter(
      (path) =>
        !excused.some((each) => touches(path, each)) &&
        !this.#staysDifferent(path, touches, scenario.direction),
    );
  }

  /** What never becomes alike, and why that is right. */
  #staysDifferent(
    path: string,
    touches: (path: string, each: string) => boolean,
    direction: Direction,
  ): boolean {
    const { laptop, container, engine, scenario } = this;
    for (const disk of [laptop, container.disk]) {
      const entry = disk.tree.get(path);
      if (entry?.kind === 'symlink' && linkProblem(path, entry.target) !== undefined) return true;
      // Nobody can see what happens there.
      if (disk.isDenied(path)) return true;
      // Of another kind than what the other side has there, and excluded.
      if (entry !== undefined && this.rules.excluded(path, entry.kind === 'directory')) return true;
      // A folder that was kept by what takes no part is followed no more, nor is what is in it.
      const unfollowed = (each: string): boolean =>
        disk.tree.get(each)?.kind === 'directory' && engine?.know(each).difference !== undefined;
      if (this.#excluded && [path, ...ancestorsOf(path)].some(unfollowed)) return true;
      for (const [each, there] of disk.tree.entries()) {
        // A folder stays for what is in it and takes no part, or may not come over.
        const refused = there.kind === 'symlink' && linkProblem(each, there.target) !== undefined;
        if (each.startsWith(`${path}/`) && (refused || this.rules.excluded(each, there.kind === 'directory')))
          return true;
      }
    }
    if (direction !== 'both') {
      if (this.#rootsReplaced) return true;
      const target = direction === 'up' ? 'container' : 'laptop';
      for (const each of this.ledger.byUser[target]) if (touches(path, each)) return true;
      if (scenario.strategy !== 'preferLocal' && engine?.know(path).difference !== undefined) return true;
    }
    return scenario.foldsCase && this.#hasTwin(path);
  }

  #hasTwin(path: string): boolean {
    const names = { ...anyNames, caseInsensitive: true };
    const key = foldedName(path, names);
    const twins = [...this.container.disk.tree.paths(), ...this.laptop.tree.paths()].filter((each) => {
      const folded = foldedName(each, names);
      return folded === key || key.startsWith(`${folded}/`) || folded.startsWith(`${key}/`);
    });
    return twins.some((each) => {
      const length = Math.min(each.length, path.length);
      return each.slice(0, length) !== path.slice(0, length);
    });
  }

  /** Answers some of what is held. */
  answer(chance: number): void {
    for (const hold of this.engine?.held ?? []) {
      if (!this.random.chance(chance)) continue;
      const choice = this.random.pick(hold.choices);
      this.trace({ answer: hold.id, choice, paths: hold.paths });
      for (const path of hold.paths) {
        // What it asked about is no more excused, and only now begins to be done.
        this.ledger.touched.laptop.set(path, this.clock.monotonic());
        this.ledger.answered.add(path);
        if (hold.kind === 'consent' && choice === 'apply') this.ledger.approved.add(path);
      }
      if (this.engine?.resolveHeld(hold.id, choice) !== true || choice !== 'leave') continue;
      for (const path of hold.paths) this.left.add(path);
    }
  }

  /** Contents that are at a path now. */
  present(): string[] {
    return [...this.laptop.contents.values(), ...this.container.disk.contents.values()];
  }

  /** Whether a content is at a path, or where it can be had back from. */
  isSafe(content: string): boolean {
    if (content === '' || isOfImage(content) || this.ledger.forgiven.has(content)) return true;
    for (const kept of [this.kept, this.container.kept])
      if (kept.has(content) || kept.evicted.has(content)) return true;
    return this.present().includes(content);
  }

  /** What happens, in order: the way to read a failing seed. */
  trace(what: unknown): void {
    if (this.#trace === undefined) return;
    const text = JSON.stringify(what, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    this.#trace(`${this.clock.monotonic()} ${text.slice(0, 600)}`);
  }
}

function hasExcludedParent(path: string, rules: PathRules): boolean {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    if (rules.excluded(path.slice(0, end), true)) return true;
  return false;
}
