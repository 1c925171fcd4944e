import type { MemoryDisk } from './memory-disk.fixture.ts';
import { Random } from './random.fixture.ts';
import { drawScenario, excludeLists, folders, paths } from './scenario.fixture.ts';
import { Simulation } from './simulation.fixture.ts';

/** Rounds of answers until nothing new is asked. */
const answerRounds = 60;
/** Simulated milliseconds within which both sides have to be one once nothing goes wrong any more. */
const patienceMs = 400_000;

type Edit =
  | 'write'
  | 'replace'
  | 'remove'
  | 'removeFolder'
  | 'move'
  | 'renameFolder'
  | 'case'
  | 'mode'
  | 'folderMode'
  | 'folder'
  | 'flip'
  | 'link'
  | 'twin'
  | 'grow'
  | 'rewrite'
  | 'many';

const editWeights: Readonly<Record<Edit, number>> = {
  write: 40,
  replace: 14,
  remove: 14,
  removeFolder: 5,
  move: 9,
  renameFolder: 4,
  case: 1,
  mode: 4,
  folderMode: 1,
  folder: 4,
  flip: 3,
  link: 3,
  twin: 4,
  grow: 3,
  rewrite: 4,
  many: 2,
};

type Trouble =
  | 'cut'
  | 'stall'
  | 'helperDies'
  | 'appDies'
  | 'restart'
  | 'clockJump'
  | 'containerClockJump'
  | 'newContainer'
  | 'containerFull'
  | 'laptopFull'
  | 'deny'
  | 'laptopGone'
  | 'laptopReplaced'
  | 'containerGone'
  | 'overflow'
  | 'rescan';

const troubleWeights: Readonly<Record<Trouble, number>> = {
  cut: 6,
  stall: 6,
  helperDies: 6,
  appDies: 8,
  restart: 4,
  clockJump: 5,
  containerClockJump: 2,
  newContainer: 4,
  containerFull: 5,
  laptopFull: 3,
  deny: 4,
  laptopGone: 1.5,
  laptopReplaced: 0.7,
  containerGone: 1.5,
  overflow: 2,
  rescan: 1,
};

const clockJumps = [-3_600_000, 3_600_000, -5, 86_400_000, -86_400_000] as const;

/** One history: what a seed makes of a pair. Gives what went wrong, which has to be nothing. */
export async function runHistory(seed: number, trace?: (line: string) => void): Promise<readonly string[]> {
  const random = new Random(seed);
  const scenario = drawScenario(random);
  const simulation = new Simulation(random, scenario, trace);
  simulation.trace({ seed, scenario });
  const history = new History(simulation);
  try {
    await history.run();
  } catch (error) {
    simulation.ledger.wrong(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    simulation.app.kill();
  }
  return simulation.ledger.wrongs;
}

class History {
  readonly #sim: Simulation;
  readonly #random: Random;

  constructor(simulation: Simulation) {
    this.#sim = simulation;
    this.#random = simulation.random;
  }

  async run(): Promise<void> {
    const sim = this.#sim;
    const random = this.#random;
    if (random.chance(0.5)) sim.fillImage();
    for (let index = random.below(6); index > 0; index--) this.#edit(sim.laptop, 'laptop');
    if (random.chance(0.2)) this.#edit(sim.container.disk, 'container');
    await sim.start(random.pick(excludeLists));
    for (let step = 10 + random.below(40); step > 0; step--) {
      const kind = random.weighted({ laptop: 12, container: 9, both: 1.5, trouble: 6 });
      if (kind === 'trouble') await this.#makeTrouble(random.weighted(troubleWeights));
      else if (kind === 'both') this.#editBoth();
      else if (kind === 'laptop') this.#edit(sim.laptop, 'laptop');
      else this.#edit(sim.container.disk, 'container');
      await sim.clock.advance(random.pick([0, 0, 1, 5, 30, 300, 3000]));
      sim.checkClaim();
      sim.answer(0.15);
      if (sim.ledger.wrongs.length > 0) return;
    }
    await this.#comeToRest();
  }

  /** From here on only the engine acts: nothing that is anywhere now may get lost, and both sides become one. */
  async #comeToRest(): Promise<void> {
    const sim = this.#sim;
    const { ledger } = sim;
    // Who was writing comes to an end.
    await sim.clock.advance(1500);
    if (sim.laptop.gone || sim.container.disk.gone) sim.disturb();
    for (const disk of [sim.laptop, sim.container.disk]) {
      disk.full = false;
      disk.gone = false;
    }
    this.#allowAll();
    Object.assign(sim.wire, { lose: 0, disorder: 0, overflow: 0, scanFails: 0 });
    sim.laptopFaults.overflow = 0;
    const before = sim.present();
    const rested = (): boolean => sim.engine?.state.kind === 'in-sync';
    await sim.clock.advance(10_000);
    await sim.clock.advance(patienceMs, rested);
    for (let round = 0; (sim.engine?.held.length ?? 0) > 0; round++) {
      if (round > answerRounds) return ledger.wrong('it asks without an end');
      sim.answer(1);
      await sim.clock.advance(20_000);
      await sim.clock.advance(patienceMs, rested);
      sim.checkClaim();
      if (ledger.wrongs.length > 0) return;
    }
    // A path that a problem was told about is tried again within a minute.
    await sim.clock.advance(130_000);
    await sim.clock.advance(patienceMs, rested);
    // Names that the laptop takes for one cannot all be there, and some are tried again without an end.
    if (!rested() && !sim.scenario.foldsCase)
      ledger.wrong(`never in sync: ${JSON.stringify(sim.engine?.state)}`);
    sim.reported.clear();
    const differences = sim.differences();
    if (differences.length > 0)
      ledger.wrong(`stays different: ${differences.map((path) => sim.describe(path)).join()}`);
    for (const content of before) if (!sim.isSafe(content)) ledger.wrong(`lost: ${content}`);
    await sim.stop();
  }

  #edit(disk: MemoryDisk, place: 'laptop' | 'container'): void {
    if (disk.gone) return;
    const random = this.#random;
    const kind = random.weighted(editWeights);
    const path = random.pick(paths);
    this.#sim.trace({ edit: place, kind, path });
    const content = (): string => this.#sim.newContent(place);
    switch (kind) {
      case 'write':
        disk.write(path, content(), { mode: random.chance(0.1) ? 0o755 : 0o644 });
        break;
      case 'replace':
        disk.write(path, content(), { replace: true });
        break;
      case 'remove':
        disk.remove(path);
        break;
      case 'removeFolder':
        disk.remove(random.pick(folders));
        break;
      case 'move':
        disk.move(random.pick([...paths, ...folders]), random.pick([...paths, ...folders]));
        break;
      case 'renameFolder':
        disk.move(random.pick(folders), random.pick([...folders, 'h', 'd/h']));
        break;
      case 'case':
        if (this.#sim.scenario.foldsCase || place === 'container') disk.move(path, path.toUpperCase());
        break;
      case 'mode':
        if (disk.tree.get(path) !== undefined) disk.changeMode(path, random.pick([0o644, 0o755, 0o600]));
        break;
      case 'folderMode':
        disk.changeMode(random.pick(folders), random.pick([0o755, 0o700]));
        break;
      case 'folder': {
        const folder = random.pick(folders);
        if (disk.tree.get(folder) === undefined) disk.makeFolder(folder);
        break;
      }
      case 'flip':
        this.#flip(disk, path, content);
        break;
      case 'link':
        disk.link(path, random.pick(['a', '../a', '/etc/passwd', '../../../x', 'nowhere']));
        break;
      case 'twin':
        disk.write(path, random.pick(['', 'twin0', 'twin1', 'twin2']));
        break;
      case 'grow':
        this.#grow(disk, path, content());
        break;
      case 'rewrite':
        for (let times = random.below(4); times >= 0; times--)
          this.#sim.clock.timer(random.below(40), () => {
            if (!disk.gone) disk.write(path, content());
          });
        break;
      case 'many':
        for (let index = 0; index < 12; index++) disk.write(`m/${random.below(20)}`, content());
        break;
    }
  }

  /** A file becomes a folder, a folder a file. */
  #flip(disk: MemoryDisk, path: string, content: () => string): void {
    const random = this.#random;
    const folder = random.pick(folders);
    if (random.chance(0.5)) {
      disk.remove(folder);
      disk.write(folder, content());
    } else {
      disk.remove(path);
      disk.write(`${path}/${random.pick(['a', 'b'])}`, content());
    }
  }

  /** Somebody appends to a file, again and again. */
  #grow(disk: MemoryDisk, path: string, first: string): void {
    let text = first;
    disk.write(path, text);
    for (let times = this.#random.below(30), at = 0; times > 0; times--) {
      at += this.#random.below(25);
      this.#sim.clock.timer(at, () => {
        // Who deletes or replaces the file ends this.
        if (disk.contents.get(path) !== text || disk.gone) return;
        text += '+';
        disk.write(path, text);
      });
    }
  }

  #editBoth(): void {
    const sim = this.#sim;
    const random = this.#random;
    if (sim.laptop.gone || sim.container.disk.gone) return;
    const path = random.pick(paths);
    const same = random.chance(0.3);
    sim.trace({ edit: 'both', path, same });
    const content = sim.newContent('laptop');
    sim.laptop.write(path, content);
    sim.container.disk.write(path, same ? content : sim.newContent('container'));
  }

  async #makeTrouble(kind: Trouble): Promise<void> {
    const sim = this.#sim;
    const random = this.#random;
    sim.trace({ trouble: kind });
    switch (kind) {
      case 'cut':
        sim.helper?.end('cut');
        return sim.disturb();
      case 'stall':
        sim.helper?.end('stalled');
        return sim.disturb();
      case 'helperDies':
        return sim.helper?.dieAfter(random.below(6));
      case 'appDies':
        return sim.crash(random.pick(excludeLists));
      case 'restart':
        return sim.restart(random.pick(excludeLists));
      case 'clockJump':
        return sim.clock.jump(random.pick(clockJumps));
      case 'containerClockJump':
        sim.container.disk.skewMs += random.pick(clockJumps);
        return undefined;
      case 'newContainer':
        return sim.replaceContainer(random.pick(['empty', 'image', 'image', 'kept']));
      case 'containerFull':
        sim.container.disk.full = !sim.container.disk.full;
        return undefined;
      case 'laptopFull':
        sim.laptop.full = !sim.laptop.full;
        return undefined;
      case 'deny':
        return this.#deny(random.chance(0.5) ? sim.laptop : sim.container.disk);
      case 'laptopGone':
        return this.#vanish(sim.laptop);
      case 'laptopReplaced':
        return this.#replaceLaptop();
      case 'containerGone':
        return this.#vanish(sim.container.disk);
      case 'overflow':
        sim.local?.overflow();
        return sim.helper?.overflow();
      case 'rescan':
        return sim.engine?.rescan();
    }
  }

  #deny(disk: MemoryDisk): void {
    if (disk.denied.size > 0) this.#allowAll();
    else disk.deny(this.#random.pick([...paths, ...folders]));
    this.#sim.disturb();
  }

  /** A folder that is closed to the watchers as well: once it is open, they look at everything. */
  #allowAll(): void {
    const { laptop, container, local, helper } = this.#sim;
    for (const disk of [laptop, container.disk]) disk.allowAll();
    local?.overflow();
    helper?.overflow();
  }

  /** The folder is away for a while, as when it is on a disk that is unplugged. */
  async #vanish(disk: MemoryDisk): Promise<void> {
    const sim = this.#sim;
    if (!sim.app.killed && sim.engine?.state.kind === 'scanning') return;
    disk.gone = true;
    if (disk === sim.laptop) sim.local?.overflow();
    await sim.clock.advance(this.#random.pick([10, 2500, 10_000]));
    disk.gone = false;
    sim.local?.overflow();
    sim.disturb();
  }

  /** Another folder is at the laptop's path: an older copy, of which some files are missing. */
  #replaceLaptop(): void {
    const sim = this.#sim;
    sim.laptop.rootInode += 1000n;
    sim.rootReplaced('laptop');
    for (const path of [...sim.laptop.tree.paths()]) if (this.#random.chance(0.3)) sim.laptop.remove(path);
    sim.rootReplaced('laptop');
    sim.local?.overflow();
    sim.disturb();
  }
}
