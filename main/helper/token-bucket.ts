/** How much was sent too early, and when that was last told. */
export interface Debt {
  readonly bytes: number;
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
}

export const noDebt: Debt = { bytes: 0, at: 0 };

/** Bulk may be ahead of the rate by so much, so that a pause is worth its timer; what a user waits for by more. */
const aheadMs = { bulk: 100, interactive: 1000 } as const;

/** What time has paid back. */
export function debtAt(debt: Debt, bytesPerSecond: number, now: number): Debt {
  const paid = (Math.max(0, now - debt.at) / 1000) * bytesPerSecond;
  return { bytes: Math.max(0, debt.bytes - paid), at: now };
}

/** Milliseconds until the next slice may leave: it may begin early and is paid for afterwards, so its size does not matter. */
export function waitFor(
  debt: Debt,
  bytesPerSecond: number,
  priority: 'interactive' | 'bulk',
  now: number,
): number {
  const owed = debtAt(debt, bytesPerSecond, now).bytes;
  return Math.max(0, (owed / bytesPerSecond) * 1000 - aheadMs[priority]);
}

export function spend(debt: Debt, bytesPerSecond: number, bytes: number, now: number): Debt {
  const { bytes: owed } = debtAt(debt, bytesPerSecond, now);
  return { bytes: owed + bytes, at: now };
}
