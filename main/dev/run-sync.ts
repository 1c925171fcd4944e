import type { PairPaths, SessionEvent } from '../../contract/session-events.ts';
import { isCancellation } from '../base/errors.ts';
import type { PodSource } from './pod-source.ts';
import { openServices, type OnHeld, type ServiceFactories } from './services.ts';
import { untilAborted } from './until-aborted.ts';

export interface SyncRunOptions {
  readonly openSource: () => Promise<PodSource>;
  readonly factories: ServiceFactories;
  readonly pairs: readonly PairPaths[];
  readonly emit: (event: SessionEvent) => void;
  readonly onHeld?: OnHeld | undefined;
  /** Removes what was put into the container. */
  readonly cleanUp: (source: PodSource) => Promise<string | undefined>;
  /** Ends after the first sync instead of watching. */
  readonly once?: boolean | undefined;
  readonly stop: AbortSignal;
}

/**
 * Two-way sync with a running container, nothing replaced: runs until `stop`, then ends cleanly. What was put into the
 * container is removed however it ends.
 */
export async function runSync(options: SyncRunOptions): Promise<void> {
  const { emit, stop } = options;
  emit({ event: 'phase', phase: 'connect', message: 'looking for the container' });
  try {
    await using source = await options.openSource();
    try {
      await keepInStep(options, source);
    } finally {
      const note = await options.cleanUp(source);
      if (note !== undefined) emit({ event: 'notice', message: note });
    }
  } catch (error) {
    if (!stop.aborted || !isCancellation(error)) throw error;
  }
  emit({ event: 'stopped', restored: [], kept: [], remaining: [] });
}

async function keepInStep(options: SyncRunOptions, source: PodSource): Promise<void> {
  const { emit, stop } = options;
  await using services = await openServices({
    ...options,
    source,
    ports: [],
    // A sync that fails for good ends the command, whose error tells it.
    emit: (event) => {
      if (event.event !== 'health' || event.state !== 'failed') emit(event);
    },
  });
  const container = await source.current(stop);
  emit({
    event: 'phase',
    phase: 'sync',
    message: `first sync with ${container.pod}/${container.container}`,
  });
  await services.firstSync(stop);
  emit({
    event: 'ready',
    namespace: container.namespace,
    pod: container.pod,
    container: container.container,
    ports: [],
    pairs: options.pairs,
  });
  if (options.once !== true) await Promise.race([untilAborted(stop), services.failed]);
  emit({ event: 'phase', phase: 'stop', message: 'ending the sync' });
}
