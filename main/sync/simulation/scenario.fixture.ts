import type { Direction } from '../pair-settings.ts';
import type { Strategy } from '../strategy.ts';
import type { Random } from './random.fixture.ts';

/** What stays the same during one history. */
export interface Scenario {
  readonly strategy: Strategy;
  readonly direction: Direction;
  /** Brake, consent and a small trash. */
  readonly guarded: boolean;
  readonly laptopTrashBytes: number;
  readonly containerTrashBytes: number;
  readonly oncePerMinute: boolean;
  readonly lose: number;
  readonly wireDelay: number;
  readonly laptopDelay: number;
  readonly disorder: number;
  readonly overflow: number;
  readonly scanFails: number;
  readonly hostileNames: readonly string[];
  readonly laptopGranularityNs: bigint;
  readonly containerGranularityNs: bigint;
  readonly containerSkewMs: number;
  readonly foldsCase: boolean;
  /** False: a laptop whose files have no modes. */
  readonly hasModes: boolean;
  /** Bytes of content in one slice of a file on its way to the container. */
  readonly sliceBytes: number;
}

const granularities = [0n, 0n, 0n, 4_000_000n, 1_000_000_000n] as const;

export function drawScenario(random: Random): Scenario {
  const guarded = random.chance(0.4);
  return {
    strategy: random.weighted<Strategy>({
      preferLocal: 40,
      preferRemote: 20,
      keepAll: 12,
      mirrorLocal: 10,
      mirrorRemote: 6,
      preferNewest: 9,
      disabled: 3,
    }),
    direction: random.weighted<Direction>({ both: 90, up: 6, down: 4 }),
    guarded,
    laptopTrashBytes: guarded ? random.pick([1e9, 6, 60]) : 1e9,
    containerTrashBytes: random.pick([1e9, 1e9, 30]),
    oncePerMinute: random.chance(0.5),
    lose: random.pick([0, 0.002, 0.01, 0.03]),
    wireDelay: random.pick([0, 2, 20, 120]),
    laptopDelay: random.pick([0, 0, 3, 20]),
    disorder: random.pick([0, 0, 0.1]),
    overflow: random.pick([0, 0, 0.05]),
    scanFails: random.pick([0, 0, 0.1]),
    hostileNames: random.chance(0.05) ? ['../up', '/abs', 'd/../../e', 'd//x', './y', 'nul\0'] : [],
    laptopGranularityNs: random.pick(granularities),
    containerGranularityNs: random.pick(granularities),
    containerSkewMs: random.pick([0, 0, 0, 700, 90_000, -3_600_000]),
    foldsCase: random.chance(0.06),
    hasModes: random.chance(0.95),
    sliceBytes: random.pick([4, 1_000_000]),
  };
}

export const paths = ['a', 'b', 'c', 'd/a', 'd/b', 'd/e/a', 'd/e/b', 'f/a', 'f/b'] as const;
export const folders = ['d', 'd/e', 'f', 'g'] as const;
/** Lists of excludes that a start may have, in git's dialect. */
export const excludeLists = [[], [], ['f/b'], ['d/e/'], ['/b', 'e/b']] as const;
