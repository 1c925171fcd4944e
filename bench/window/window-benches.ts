import type { Bench } from './bench.ts';
import { firstPaint } from './first-paint.ts';
import { heap } from './heap.ts';
import { logFlood } from './log-flood.ts';
import { syncFlood } from './sync-flood.ts';
import { terminal } from './terminal.ts';
import { wire } from './wire.ts';

/** In the order in which they run. */
export const windowBenches: readonly Bench[] = [firstPaint, wire, syncFlood, terminal, logFlood, heap];
