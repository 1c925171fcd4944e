import type { BandwidthLimits } from '../helper/connection.ts';
import type { IgnoreDialect } from './ignore/explain.ts';
import type { OnUpload } from './on-upload.ts';
import { defaultStrategy, type Strategy } from './strategy.ts';

/** Which way files travel: `up` never changes anything on the laptop, `down` never anything in the container. */
export type Direction = 'both' | 'up' | 'down';

/** `auto`: rename into place, and nudge who watches the old file. `inPlace`: write into the file that is there. */
export type PairWriteMode = 'auto' | 'inPlace';

/**
 * What becomes of permissions. `travel`: they are the same on both sides, as far as both umasks allow. `keep`: each side keeps
 * its own, and only a new file takes over what it is given.
 */
export type PairModes = 'travel' | 'keep';

/** Who owns what a pair makes in the container, where its helper may give files away. */
export interface PairOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Everything that can be chosen for one pair. */
export interface PairSettings {
  readonly strategy: Strategy;
  readonly direction: Direction;
  readonly exclude: readonly string[];
  readonly uploadExclude: readonly string[];
  readonly downloadExclude: readonly string[];
  /** Whose syntax the patterns are in. */
  readonly dialect: IgnoreDialect;
  readonly brake: boolean;
  /** Look for changes by polling, where a file system tells of none. */
  readonly polling: { readonly container: boolean; readonly laptop: boolean };
  readonly writeMode: PairWriteMode;
  readonly modes: PairModes;
  readonly owner?: PairOwner | undefined;
  readonly limits: BandwidthLimits;
  /** Links of the laptop that point outside and are uploaded as what they point to, in the syntax of .gitignore. */
  readonly followLinks: readonly string[];
  /** Ends after the first sync. */
  readonly noWatch: boolean;
  /** Nobody waits for the first sync: the session is ready before it. */
  readonly waitInitialSync: boolean;
  readonly onUpload: OnUpload;
}

export const defaultPairSettings: PairSettings = {
  strategy: defaultStrategy,
  direction: 'both',
  exclude: [],
  uploadExclude: [],
  downloadExclude: [],
  dialect: 'git',
  brake: true,
  polling: { container: false, laptop: false },
  writeMode: 'auto',
  modes: 'travel',
  limits: {},
  followLinks: [],
  noWatch: false,
  waitInitialSync: true,
  onUpload: { exec: [], restartContainer: false },
};

/** One pair as asked for: `LOCAL:REMOTE` and what was chosen for it. */
export interface PairRequest extends PairSettings {
  readonly path: string;
}

/** What is left open is as in `defaultPairSettings`. */
export type PartialPairRequest = Partial<PairSettings> & Pick<PairRequest, 'path'>;

export function pairRequest(request: PartialPairRequest): PairRequest {
  return { ...defaultPairSettings, ...request };
}
