import type { PairPaths, PlanEvent } from '../../contract/session-events.ts';
import type { DryRun } from '../sync/dry-run.ts';
import type { PodSource } from './pod-source.ts';

export interface PlanSyncOptions {
  readonly openSource: () => Promise<PodSource>;
  readonly pairs: readonly PairPaths[];
  readonly dryRun: (pair: PairPaths, source: PodSource, signal: AbortSignal) => Promise<DryRun>;
  readonly emit: (event: PlanEvent) => void;
  readonly cleanUp: (source: PodSource) => Promise<string | undefined>;
  readonly stop: AbortSignal;
}

/** Tells what each pair would do with the container of now, one pair after the other; what was put there is removed. */
export async function planSync(options: PlanSyncOptions): Promise<void> {
  const { pairs, dryRun, emit, cleanUp, stop } = options;
  await using source = await options.openSource();
  try {
    for (const pair of pairs)
      for (const event of planEvents(pair, await dryRun(pair, source, stop))) emit(event);
  } finally {
    await cleanUp(source);
  }
}

function* planEvents(pair: PairPaths, plan: DryRun): Generator<PlanEvent> {
  let [uploadBytes, downloadBytes] = [0, 0];
  for (const step of plan.steps) {
    if (step.where === 'container') uploadBytes += step.bytes;
    else downloadBytes += step.bytes;
    yield { event: 'plan', pair, ...step };
  }
  for (const conflict of plan.conflicts) yield { event: 'plan-conflict', pair, ...conflict };
  for (const problem of plan.problems) yield { event: 'plan-problem', pair, ...problem };
  const { same, first } = plan;
  yield { event: 'plan-end', pair, steps: plan.steps.length, uploadBytes, downloadBytes, same, first };
}
