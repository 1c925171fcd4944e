/** First and longest pause between reconnects, in milliseconds. */
export const reconnectFirstMs = 500;
export const reconnectLimitMs = 15_000;

/** Pause before the try after `failures` failed ones, between half and the whole of a doubling time. */
export function reconnectPause(failures: number, random: number): number {
  const full = Math.min(reconnectFirstMs * 2 ** Math.max(0, Math.min(failures - 1, 10)), reconnectLimitMs);
  return full / 2 + (full / 2) * random;
}
