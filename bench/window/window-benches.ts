import type { Bench } from './bench.ts';
import { firstPaint } from './first-paint.ts';
import { syncFlood } from './sync-flood.ts';

/** In the order in which they run. */
export const windowBenches: readonly Bench[] = [firstPaint, syncFlood];
