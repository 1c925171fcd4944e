import { isSlipwayError } from '../base/errors.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import { findLeftovers, type Leftover, type LeftoverList } from './leftovers.ts';
import { restoreLeftover, type RestoreOptions, type RestoreReport } from './restore.ts';
import type { SessionContext } from './session.ts';

export interface ResetOptions extends RestoreOptions {
  /** Everywhere when left out. */
  readonly namespace?: string | undefined;
  /** Also the dead sessions of others. */
  readonly force?: boolean | undefined;
}

export interface ResetReport {
  readonly restored: readonly RestoreReport[];
  /** Left alone: live ones, and those of others without `force`. */
  readonly skipped: readonly { readonly leftover: Leftover; readonly reason: string }[];
  readonly failed: readonly { readonly leftover: Leftover; readonly error: ErrorValue }[];
  readonly unseen: LeftoverList['unseen'];
}

/** One that cannot be restored does not keep the others from being. */
export async function resetSessions(
  context: SessionContext,
  options: ResetOptions = {},
): Promise<ResetReport> {
  const { namespace, force = false, ...restoreOptions } = options;
  const list = await findLeftovers(context, {
    namespace,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const restored: RestoreReport[] = [];
  const skipped: { leftover: Leftover; reason: string }[] = [];
  const failed: { leftover: Leftover; error: ErrorValue }[] = [];
  for (const leftover of list.items) {
    const reason = reasonToSkip(leftover, force);
    if (reason !== undefined) {
      skipped.push({ leftover, reason });
      continue;
    }
    try {
      restored.push(await restoreLeftover(context, leftover, restoreOptions));
    } catch (error) {
      if (!isSlipwayError(error)) throw error;
      failed.push({ leftover, error: error.toValue() });
    }
  }
  return { restored, skipped, failed, unseen: list.unseen };
}

export function reasonToSkip(
  leftover: Pick<Leftover, 'state' | 'mine' | 'user'>,
  force: boolean,
): string | undefined {
  if (leftover.state === 'live') return 'it is live';
  if (!leftover.mine && !force) return `it is ${leftover.user}'s; --force restores it too`;
  return undefined;
}
