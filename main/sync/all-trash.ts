import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { diskAncestorFiles } from './ancestor-files.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';
import { restoreVersion } from './local-endpoint/restore-version.ts';
import { readPairDescription, type PairDescription } from './pair-description.ts';
import { pathGlob } from './path-glob.ts';
import type { TrashedVersion } from './trash.ts';

/** One old version of a file, of whichever pair. */
export interface TrashedFile extends Omit<TrashedVersion, 'id'> {
  /** Names it among all pairs. */
  readonly id: string;
  /** Undefined for a pair that was never described. */
  readonly pair: PairDescription | undefined;
  readonly pairId: string;
}

export interface TrashFilter {
  /** A path below the pair's folder, everything below it, or a glob. */
  readonly path?: string | undefined;
  /** The beginning of a pair's id, or its folder of this machine. */
  readonly pair?: string | undefined;
  /** Milliseconds since the epoch: from then on. */
  readonly since?: number | undefined;
}

/** Enough of a pair's id to tell pairs apart, and short enough to be typed. */
const shownPairId = 8;
const separator = '.';

/** The laptop's trash of every pair that there ever was here. Needs no cluster and no running sync. */
export class AllTrash {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(home: string, clock: Clock) {
    this.#folder = join(home, 'sync');
    this.#clock = clock;
  }

  /** The oldest first. */
  async list(filter: TrashFilter = {}): Promise<readonly TrashedFile[]> {
    const found: TrashedFile[] = [];
    const matches = pathTest(filter.path);
    for (const pairId of await this.#pairs()) {
      const pair = await readPairDescription(diskAncestorFiles, join(this.#folder, pairId));
      const { pair: wanted } = filter;
      if (wanted !== undefined && !pairId.startsWith(wanted) && pair?.localPath !== wanted) continue;
      for (const version of await this.#trashOf(pairId).list()) {
        if (!matches(version.path) || version.trashedAt < (filter.since ?? 0)) continue;
        const id = `${pairId.slice(0, shownPairId)}${separator}${version.id}`;
        found.push({ ...version, id, pair, pairId });
      }
    }
    return found.sort((a, b) => a.trashedAt - b.trashedAt);
  }

  /**
   * Puts a version into its place, or below another folder; what is there now goes to the trash first. Resolves with where it is.
   */
  async restore(id: string, to?: string): Promise<string> {
    const [prefix = '', version = ''] = id.split(separator);
    const pairs = (await this.#pairs()).filter((pair) => prefix !== '' && pair.startsWith(prefix));
    for (const pairId of pairs) {
      const trash = this.#trashOf(pairId);
      if (trash.placeOf(version) === undefined) continue;
      const pair = await readPairDescription(diskAncestorFiles, join(this.#folder, pairId));
      const root = to ?? rootOf(pair);
      if (root === undefined) throw unknownPair(pairId);
      return join(root, await restoreVersion(root, trash, version));
    }
    throw new SlipwayError({
      code: 'sync.path-refused',
      message: `There is no version ${id} in the trash.`,
      cause: 'It was never there, was too old, or made room for others.',
      next: 'See "slipway trash list".',
    });
  }

  #trashOf(pairId: string): DiskTrash {
    return new DiskTrash({ folder: join(this.#folder, pairId, 'trash'), clock: this.#clock });
  }

  async #pairs(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.filter((name) => /^[0-9a-f]{32}$/.test(name)).sort();
  }
}

/**
 * What undoes everything since a moment: of each path the version that was there then, which is the oldest that was put
 * away since.
 */
export function oldestOfEach(versions: readonly TrashedFile[]): readonly TrashedFile[] {
  const oldest = new Map<string, TrashedFile>();
  for (const version of versions) {
    const key = JSON.stringify([version.pairId, version.path]);
    const known = oldest.get(key);
    if (known === undefined || version.trashedAt < known.trashedAt) oldest.set(key, version);
  }
  return [...oldest.values()];
}

function pathTest(path: string | undefined): (path: string) => boolean {
  if (path === undefined) return () => true;
  const clean = path.replace(/^(?:\.?\/)+|\/+$/g, '');
  const glob = /[*?[{]/.test(clean) ? pathGlob(clean) : undefined;
  return (each) => each === clean || each.startsWith(`${clean}/`) || glob?.(each) === true;
}

/** A file's version belongs into the folder that holds it. */
function rootOf(pair: PairDescription | undefined): string | undefined {
  if (pair === undefined) return undefined;
  return pair.singleName === undefined ? pair.localPath : join(pair.localPath, '..');
}

function unknownPair(pairId: string): SlipwayError {
  return new SlipwayError({
    code: 'sync.path-refused',
    message: `Where the pair ${pairId.slice(0, shownPairId)} was is not known.`,
    cause: 'It was made by an earlier version, which did not keep that.',
    next: 'Name a folder to restore to with --to FOLDER.',
  });
}
