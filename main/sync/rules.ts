import { createHash } from 'node:crypto';
import type { Rule } from '../helper/gen/slipway/helper/v1/helper.ts';
import { createMatcher } from './ignore/matcher.ts';
import type { RuleList } from './ignore/rule-list.ts';
import type { Direction } from './pair-settings.ts';

/**
 * Which paths take part, for creates, changes, deletes and renames alike. An excluded path is as if it were not
 * there; an upload-excluded one is never changed in the container, a download-excluded one never on the laptop.
 */
export interface PathRules {
  excluded(path: string, isDirectory: boolean): boolean;
  uploadExcluded(path: string, isDirectory: boolean): boolean;
  downloadExcluded(path: string, isDirectory: boolean): boolean;
  /** Which way anything travels at all; the two above say it for each path as well. */
  readonly direction: Direction;
  /** For the helper's scan and watch. */
  readonly wire: readonly Rule[];
  /** Changes when any rule does; stored with the ancestor. */
  readonly hash: string;
}

export interface PathRulesOptions {
  readonly exclude?: RuleList | undefined;
  readonly uploadExclude?: RuleList | undefined;
  readonly downloadExclude?: RuleList | undefined;
  /** `up`: nothing is ever changed on the laptop; `down`: nothing in the container. Both when absent. */
  readonly direction?: Direction | undefined;
  /** Where in the pair the folder is that these rules are asked about: they name paths of the whole pair. */
  readonly below?: string | undefined;
  /** A pair of two single files: the only path that takes part. */
  readonly singleName?: string | undefined;
}

const empty: RuleList = { cascade: true, rules: [], wire: [] };

/**
 * Names that the engine and the helper use for files under way. Excluded whatever the user's rules say, so that
 * what a crash left behind never travels.
 */
export const temporaryName = /(?:^|\/)\.slipway-[0-9a-z-]{6,64}\.tmp(?:\/|$)/;

export function createPathRules(options: PathRulesOptions = {}): PathRules {
  const exclude = options.exclude ?? empty;
  const upload = options.uploadExclude ?? empty;
  const download = options.downloadExclude ?? empty;
  const [general, up, down] = [createMatcher(exclude), createMatcher(upload), createMatcher(download)];
  const { singleName, direction = 'both', below } = options;
  const inPair = (path: string): string => (below === undefined ? path : `${below}/${path}`);
  return {
    excluded: (path, isDirectory) =>
      (singleName !== undefined ? path !== singleName : general.excludes(inPair(path), isDirectory)) ||
      temporaryName.test(path),
    uploadExcluded: (path, isDirectory) =>
      direction === 'down' || (singleName === undefined && up.excludes(path, isDirectory)),
    downloadExcluded: (path, isDirectory) =>
      direction === 'up' || (singleName === undefined && down.excludes(path, isDirectory)),
    direction,
    wire: singleName === undefined ? exclude.wire : [],
    hash: hashOf([exclude, upload, download], singleName),
  };
}

function hashOf(lists: readonly RuleList[], singleName: string | undefined): string {
  const text = JSON.stringify([lists.map(({ cascade, rules }) => [cascade, rules]), singleName ?? null]);
  return createHash('sha256').update(text).digest('hex');
}
