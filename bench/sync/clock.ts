/** Milliseconds of the machine's monotonic clock: one for all processes. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
