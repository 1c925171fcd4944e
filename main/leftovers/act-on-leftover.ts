import type { LeftoverResult } from '../../contract/leftovers.ts';
import { SlipwayError, assertNever, isCancellation, isSlipwayError } from '../base/errors.ts';
import type { Kube } from '../kube/kube.ts';
import type { RestoreReport, Sessions } from '../session/session.ts';
import { describeReplacement } from './devspace-replacement.ts';
import type { FoundLeftover } from './found-leftover.ts';
import { presentLeftover } from './present-leftover.ts';
import { restoreReplacement } from './restore-replacement.ts';

export type LeftoverAction = 'restore' | 'remove';

export interface ActOptions {
  readonly kube: Kube;
  readonly sessions: Pick<Sessions, 'restore' | 'remove'>;
  readonly action: LeftoverAction;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The steps of an action as sentences; throws when the action is not possible. */
export function stepsOf(
  key: string,
  found: FoundLeftover | undefined,
  action: LeftoverAction,
): readonly string[] {
  const possible = assertPossible(key, found, action);
  if (possible.kind === 'replacement') return describeReplacement(possible.replacement).map(asSentence);
  const { session } = possible;
  if (action === 'remove') return session.wouldRemove.map(asSentence);
  const lease = session.lease?.metadata?.name;
  return [
    ...session.wouldRestore,
    ...(lease === undefined ? [] : [`remove Lease ${lease}`]),
    ...(session.state === 'ledger-only' ? ['remove the note of it on this machine'] : []),
  ].map(asSentence);
}

/** Does it to one. What goes wrong is part of the result; only bugs are thrown. */
export async function actOnLeftover(
  key: string,
  found: FoundLeftover | undefined,
  options: ActOptions,
): Promise<LeftoverResult> {
  const nothing = { key, done: [], kept: [], remaining: [] };
  if (options.signal.aborted) return { ...nothing, remaining: ['It was cancelled before this one began.'] };
  try {
    return { ...nothing, ...(await perform(assertPossible(key, found, options.action), options)) };
  } catch (error) {
    if (isCancellation(error) || options.signal.aborted) {
      const half = 'It was cancelled half-way: it stays in the list, and doing it again goes on from there.';
      return { ...nothing, remaining: [half] };
    }
    if (!isSlipwayError(error)) throw error;
    return { ...nothing, error: error.toValue() };
  }
}

async function perform(
  found: FoundLeftover,
  { kube, sessions, action, onProgress, signal }: ActOptions,
): Promise<Pick<LeftoverResult, 'done' | 'kept' | 'remaining'>> {
  switch (found.kind) {
    case 'replacement': {
      const done = await restoreReplacement(kube, found.replacement, { onProgress, signal });
      return { done, kept: [], remaining: [] };
    }
    case 'session': {
      const work = action === 'restore' ? sessions.restore : sessions.remove;
      return describeReport(await work(found.session, { onProgress, signal }));
    }
    default:
      return assertNever(found);
  }
}

function describeReport(report: RestoreReport): Pick<LeftoverResult, 'done' | 'kept' | 'remaining'> {
  const kept = report.kept.map(({ path, was, now, by }) => {
    const who = by === undefined ? '' : `, by ${by}`;
    return `${path} stays as it is now: ${now}${who}. It was ${was}.`;
  });
  return { done: report.done, kept, remaining: report.remains };
}

function assertPossible(
  key: string,
  found: FoundLeftover | undefined,
  action: LeftoverAction,
): FoundLeftover {
  if (found === undefined) {
    throw new SlipwayError({
      code: 'session.not-found',
      message: `There is no leftover ${key} any more.`,
      cause: 'Somebody restored or removed it meanwhile, or its session goes on.',
      next: 'Look at the list again.',
    });
  }
  const { namespace, target, can, cannot, state } = presentLeftover(found);
  if (can.includes(action)) return found;
  throw new SlipwayError({
    code: state === 'live' ? 'session.live' : 'session.ledger-unreadable',
    message: `What is left of ${namespace}/${target} cannot be ${action === 'restore' ? 'restored' : 'removed'}.`,
    cause: cannot ?? '',
    next: 'Explain says what it is and which commands look at it.',
  });
}

function asSentence(step: string): string {
  return `${step.charAt(0).toUpperCase()}${step.slice(1)}.`;
}
