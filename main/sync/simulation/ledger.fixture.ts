import type { Clock } from '../../base/clock.ts';
import type { Strategy } from '../strategy.ts';
import { ancestorsOf, parentOf } from '../tree.ts';
import { linkProblem, pathProblem } from '../paths.ts';
import type { Actor, DiskObserver, MemoryDisk } from './memory-disk.fixture.ts';
import type { KeptVersions } from './memory-state.fixture.ts';

export type Place = 'laptop' | 'container';

export interface LedgerOptions {
  readonly clock: Clock;
  readonly disk: (place: Place) => MemoryDisk;
  readonly laptopTrash: KeptVersions;
  readonly strategy: Strategy;
  /** The side that a pair of one way never changes. */
  readonly untouchable: Place | undefined;
  /** Names that must not appear on the laptop before somebody agreed. */
  readonly consent: ReadonlySet<string>;
}

interface Written {
  readonly content: string;
  readonly actor: Actor;
  readonly disk: MemoryDisk;
}

interface Removal {
  readonly content: string | undefined;
  readonly actor: Actor;
  readonly how: 'deleted' | 'overwritten' | 'moved';
  readonly kept: KeptVersions;
  readonly disk: MemoryDisk;
}

/** A decision may be this old when it is carried out, in milliseconds. */
const longestFlightMs = 2000;

/**
 * Knows every content that ever existed, who put it there and who took it away, and complains where the sync does
 * what it never may: lose a content, show a half one, take a missing file for a deleted one, leave its root.
 */
export class Ledger {
  readonly wrongs: string[] = [];
  /** When something last happened at a path. */
  readonly touched: Record<Place, Map<string, number>> = { laptop: new Map(), container: new Map() };
  /** Paths that a program of the user ever changed. */
  readonly byUser: Record<Place, Set<string>> = { laptop: new Set(), container: new Set() };
  /** Paths about which somebody was asked and answered. */
  readonly answered = new Set<string>();
  readonly approved = new Set<string>();
  /** Contents for which another version of the same path and minute stands. */
  readonly forgiven = new Set<string>();
  /** Until then a stalled batch may arrive, which was decided long before. */
  stalledUntil = 0;
  containersReplaced = false;
  readonly #options: LedgerOptions;
  readonly #ever = new Set<string>();
  readonly #held: Record<Place, Set<string>> = { laptop: new Set(), container: new Set() };
  /** Who made a path absent that was there. */
  readonly #absent: Record<Place, Map<string, Actor>> = { laptop: new Map(), container: new Map() };

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  wrong(what: string): void {
    if (this.wrongs.length < 20)
      this.wrongs.push(`${Math.round(this.#options.clock.monotonic())} ms: ${what}`);
  }

  /** Watches one disk, of which what goes has to be in `kept`. */
  observerOf(place: Place, kept: KeptVersions, disk: () => MemoryDisk): DiskObserver {
    return {
      written: (path, content, actor) => this.#onWritten(place, path, { content, actor, disk: disk() }),
      removed: (path, content, actor, how) =>
        this.#onRemoved(place, path, { content, actor, how, kept, disk: disk() }),
      linked: (path, target, actor) => this.#onLinked(place, path, { target, actor, disk: disk() }),
      changed: (path, actor) => {
        this.touched[place].set(path, this.#options.clock.monotonic());
        if (actor === 'user') this.byUser[place].add(path);
      },
    };
  }

  /** Another root: what is not in it was not deleted. */
  rootReplaced(place: Place): void {
    this.containersReplaced ||= place === 'container';
    this.#absent[place].clear();
  }

  #onWritten(place: Place, path: string, { content, actor, disk }: Written): void {
    this.#held[place].add(content);
    this.#absent[place].delete(path);
    if (actor === 'user') {
      this.#ever.add(content);
      return;
    }
    if (!this.#ever.has(content))
      this.wrong(`${place} ${path}: a content that nobody ever wrote: ${content}`);
    this.#checkMayTouch(place, path, disk);
    const name = path.split('/').find((part) => this.#options.consent.has(part));
    if (place === 'laptop' && name !== undefined && !this.approved.has(path))
      this.wrong(`laptop ${path}: came without consent`);
  }

  #onLinked(
    place: Place,
    path: string,
    { target, actor, disk }: { readonly target: string; readonly actor: Actor; readonly disk: MemoryDisk },
  ): void {
    this.#absent[place].delete(path);
    if (actor === 'user') return;
    this.#checkMayTouch(place, path, disk);
    if (linkProblem(path, target) !== undefined) this.wrong(`${place} ${path}: a link to ${target}`);
  }

  #onRemoved(place: Place, path: string, { content, actor, how, kept, disk }: Removal): void {
    if (how !== 'overwritten') this.#absent[place].set(path, actor);
    if (actor === 'user') return;
    this.#checkMayTouch(place, path, disk);
    if (content === undefined) return;
    if (how !== 'overwritten') this.#checkWasDeleted(place, path, content);
    if (how !== 'moved') this.#checkKept(place, path, content, kept);
  }

  /** Nothing outside of the root, nothing through a link, nothing on a side that is only read. */
  #checkMayTouch(place: Place, path: string, disk: MemoryDisk): void {
    const problem = pathProblem(path);
    if (problem !== undefined) this.wrong(`${place} ${JSON.stringify(path)}: ${problem}`);
    const parent = parentOf(path);
    if (parent !== '' && disk.tree.get(parent)?.kind !== 'directory')
      this.wrong(`${place} ${path}: is not in a folder`);
    if (place === this.#options.untouchable) this.wrong(`${place} ${path}: changed although only read`);
  }

  /** What the sync replaces or removes has to be in a trash, at the moment at which it goes. */
  #checkKept(place: Place, path: string, content: string, own: KeptVersions): void {
    if (content === '') return;
    const laptop = this.#options.laptopTrash;
    if (laptop.has(content) || laptop.evicted.has(content)) return;
    const other: Place = place === 'laptop' ? 'container' : 'laptop';
    // What the other side had as well is enough in the trash of its own side, once per minute.
    // What a replaced container held before it was first seen cannot be told from what its image brought along.
    const isSeed = place === 'container' && (isOfImage(content) || this.containersReplaced);
    const known = this.#held[other].has(content) || isSeed;
    if (known && (own.has(content) || own.evicted.has(content))) return;
    if (known && own.excuses(path)) return void this.forgiven.add(content);
    this.wrong(`${place} ${path}: ${content} is in no trash`);
  }

  /** What goes on one side went on the other before, by somebody's hand: it is not only missing there. */
  #checkWasDeleted(place: Place, path: string, content: string): void {
    const { disk, clock, strategy } = this.#options;
    const other: Place = place === 'laptop' ? 'container' : 'laptop';
    if (place === 'container' && isOfImage(content)) return;
    if (strategy === (place === 'laptop' ? 'mirrorRemote' : 'mirrorLocal')) return;
    if ([path, ...ancestorsOf(path)].some((each) => this.answered.has(each))) return;
    const { tree } = disk(other);
    if (clock.monotonic() <= this.stalledUntil) return;
    const fresh = (each: string): boolean =>
      clock.monotonic() - (this.touched[other].get(each) ?? -Infinity) < longestFlightMs;
    const there = tree.get(path);
    if (there !== undefined && there.kind !== 'file') return;
    if (there !== undefined) {
      if (!fresh(path)) this.wrong(`${place} ${path}: deleted although the other side has it`);
      return;
    }
    if (this.#absent[other].has(path)) return;
    for (const folder of ancestorsOf(path)) {
      const kind = tree.get(folder)?.kind;
      if ((kind !== undefined && kind !== 'directory') || fresh(folder)) return;
    }
    this.wrong(`${place} ${path}: deleted although it is only missing on the other side`);
  }
}

/** What an image brings along can be had again from the image. */
export function isOfImage(content: string): boolean {
  return content.startsWith('image');
}
