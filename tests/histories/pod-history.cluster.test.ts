import { randomInt } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../main/sync/simulation/random.fixture.ts';
import { eventually } from '../support/eventually.ts';
import { barePod, podsOf, SyncPlace } from '../support/sync-place.ts';
import { treeOf } from '../support/tree-hash.ts';

/** The same each time, and one that nobody has seen before; `HISTORY_SEED=N` runs that one instead. */
const fixedSeed = 20_261;
const asked = process.env['HISTORY_SEED'];
const seeds = asked === undefined ? [fixedSeed, randomInt(1, 2 ** 31)] : [Number(asked)];
const operations = 1000;
/** Milliseconds for all operations of a history: what one costs is in the pauses between them. */
const historyMs = 20_000;
const settleMs = 60_000;

const names = ['a', 'b', 'c', 'name with  blanks', "quote'd", '-rf'];
const folders = ['', 'd', 'd/e', 'd/e/f', 'g', 'h'];

type Side = 'laptop' | 'container';

/** Does things to both folders as programs of a user do, and remembers every content that it made. */
class BlackBox {
  readonly #random: Random;
  readonly #roots: Record<Side, string>;
  /** With where it was put. */
  readonly #written = new Map<string, string>();
  /** What a program of the user replaced or removed itself: nobody promised to keep that. */
  readonly #dropped = new Set<string>();
  #next = 0;

  constructor(seed: number, roots: Record<Side, string>) {
    this.#random = new Random(seed);
    this.#roots = roots;
  }

  /** Contents that are not to be lost. */
  get precious(): string[] {
    return [...this.#written.keys()].filter((content) => !this.#dropped.has(content));
  }

  /** Where a content was put, for a complaint. */
  placeOf(content: string): string {
    return this.#written.get(content) ?? '';
  }

  step(): void {
    const side = this.#random.pick<Side>(['laptop', 'container']);
    const path = this.#path();
    const kind = this.#random.weighted({
      write: 40,
      append: 6,
      remove: 12,
      move: 12,
      moveFolder: 4,
      removeFolder: 2,
      mode: 5,
      link: 3,
      folder: 3,
      flip: 1,
      both: 3,
    });
    try {
      this.#do(side, kind, path);
    } catch (error) {
      // The sync moves under our feet: a file can be gone, or a folder be one no more.
      const { code } = error as NodeJS.ErrnoException;
      if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'EINVAL', 'ELOOP'].includes(code ?? ''))
        throw error;
    }
  }

  #do(side: Side, kind: string, path: string): void {
    const at = join(this.#roots[side], path);
    switch (kind) {
      case 'write':
        return this.#write(at, side);
      case 'both':
        this.#write(at, side);
        return this.#write(
          join(this.#roots[side === 'laptop' ? 'container' : 'laptop'], path),
          side === 'laptop' ? 'container' : 'laptop',
        );
      case 'append': {
        const before = this.#read(at);
        if (before === undefined) return undefined;
        this.#dropped.add(before);
        this.#written.set(`${before}+`, at);
        return appendFileSync(at, '+');
      }
      case 'remove':
        return this.#drop(at, side);
      case 'move': {
        const to = join(this.#roots[side], this.#path());
        if (!existsSync(at) || lstatSync(at).isDirectory()) return undefined;
        this.#drop(to, side);
        mkdirSync(dirname(to), { recursive: true });
        linkSync(at, to);
        return rmSync(at);
      }
      case 'moveFolder': {
        const [from, to] = [this.#folder(side), this.#folder(side)];
        if (from.startsWith(to) || to.startsWith(from) || existsSync(to)) return undefined;
        mkdirSync(dirname(to), { recursive: true });
        return renameSync(from, to);
      }
      case 'removeFolder': {
        const folder = this.#folder(side);
        for (const each of treeOf(folder).keys()) this.#drop(join(folder, each), side);
        for (const each of [...treeOf(folder).keys()].reverse()) rmdirSync(join(folder, each));
        return rmdirSync(folder);
      }
      case 'mode':
        return chmodSync(at, this.#random.pick([0o644, 0o755]));
      case 'link':
        if (existsSync(at)) return undefined;
        return symlinkSync(this.#random.pick(['a', 'nowhere']), at);
      case 'folder':
        mkdirSync(this.#folder(side), { recursive: true });
        return undefined;
      case 'flip':
        this.#drop(at, side);
        return this.#write(join(at, 'inside'), side);
      default:
        return undefined;
    }
  }

  /** Never over something that came a moment ago and that nobody took note of. */
  #write(at: string, side: Side): void {
    const content = `${side} ${this.#next++} ${'x'.repeat(this.#random.pick([0, 10, 5000]))}`;
    mkdirSync(dirname(at), { recursive: true });
    this.#drop(at, side);
    const beside = this.#aside(side);
    writeFileSync(beside, content);
    linkSync(beside, at);
    rmSync(beside);
    this.#written.set(content, at);
  }

  /** Takes something out of the pair and notes what it was. */
  #drop(at: string, side: Side): void {
    if (!existsSync(at) || lstatSync(at).isDirectory()) return;
    const beside = this.#aside(side);
    renameSync(at, beside);
    const content = this.#read(beside);
    if (content !== undefined) this.#dropped.add(content);
    rmSync(beside);
  }

  #aside(side: Side): string {
    const folder = `${this.#roots[side]}-aside`;
    mkdirSync(folder, { recursive: true });
    return join(folder, `${this.#next++}`);
  }

  #read(at: string): string | undefined {
    return existsSync(at) && lstatSync(at).isFile() ? readFileSync(at, 'utf8') : undefined;
  }

  #path(): string {
    return join(this.#random.pick(folders), this.#random.pick(names));
  }

  #folder(side: Side): string {
    return join(this.#roots[side], this.#random.pick(folders.slice(1)));
  }
}

describe('a random history of both sides of a real pair', () => {
  let namespace: Awaited<ReturnType<typeof podsOf>>;
  beforeAll(async () => {
    namespace = await podsOf('histories', (name) => [barePod(name, 'work')]);
  });
  afterAll(() => namespace[Symbol.asyncDispose]());

  it.each(seeds)(
    `of ${operations} operations loses nothing and ends alike (HISTORY_SEED=%i)`,
    async (seed) => {
      process.stderr.write(`HISTORY_SEED=${seed}\n`);
      using place = new SyncPlace(namespace.name, 'work');
      await using sync = await place.start('--no-brake');
      const box = new BlackBox(seed, { laptop: place.here(), container: place.remote() });
      const pause = new Random(seed + 1);
      for (let index = 0; index < operations; index++) {
        box.step();
        if (pause.chance(0.4)) await sleep(pause.below((2 * historyMs) / (operations * 0.4)));
      }
      await eventually(() => expect(treeOf(place.remote())).toEqual(treeOf(place.here())), settleMs);
      const kept = new Set([...contentsBelow(place.here()), ...place.trashed(), ...containerTrash(place)]);
      const lost = box.precious.filter((content) => !kept.has(content));
      const path = (content: string): string => box.placeOf(content).replace(/^.*?\/(?:p|[^/]{6})\//, '');
      const told = lost.map((content) => ({
        content: content.slice(0, 20),
        place: box.placeOf(content),
        events: sync.events
          .filter((event) => JSON.stringify(event).includes(JSON.stringify(path(content)).slice(1, -1)))
          .map((event) => JSON.stringify(event).slice(0, 300)),
      }));
      expect(told).toEqual([]);
      expect(await sync.stop()).toBe(0);
    },
  );
});

function contentsBelow(root: string): string[] {
  return [...treeOf(root)]
    .filter(([, what]) => what.startsWith('file '))
    .map(([path]) => readFileSync(join(root, path), 'utf8'));
}

/** What the helper keeps in its own folder in the container, whichever of the possible ones that is. */
function containerTrash(place: SyncPlace): string[] {
  const found: string[] = [];
  for (const base of ['tmp', 'dev/shm', 'var/tmp']) {
    const folder = join(place.root, base);
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder).filter((each) => each.startsWith('.slipway-')))
      for (const pair of readdirSync(join(folder, name)).filter((each) => each.startsWith('trash-')))
        found.push(...contentsBelow(join(folder, name, pair)));
  }
  return found;
}
