import type { SessionEvent } from '../../contract/session-events.ts';
import type { SlipwayError } from '../base/errors.ts';
import type { PodSource } from './pod-source.ts';
import { openServices, type PortForward, type ServiceFactories } from './services.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Ports of a workload on this machine, nothing replaced: runs until `stop`, then frees them. What may work later, like
 * a port that nobody listens on yet, is told and tried again; what this user may not do rejects.
 */
export async function runForward(options: {
  readonly openSource: () => Promise<PodSource>;
  readonly openForward: ServiceFactories['openForward'];
  readonly ports: readonly { readonly local: number; readonly remote: number }[];
  readonly emit: (event: SessionEvent) => void;
  readonly stop: AbortSignal;
}): Promise<void> {
  const { emit, ports, stop } = options;
  emit({ event: 'phase', phase: 'connect', message: 'looking for the pod' });
  await using source = await options.openSource();
  {
    const watched = new FirstAnswers(ports.length);
    const factories = {
      openSync: () => Promise.reject(new Error('Nothing is synced here')),
      openForward: async (port, from) => watched.watch(await options.openForward(port, from)),
    } satisfies ServiceFactories;
    const emitUnlessFinal = (event: SessionEvent): void => {
      // What ends the command is told once, as its error.
      if (event.event !== 'health' || !watched.isRefused) emit(event);
    };
    await using services = await openServices({
      factories,
      source,
      pairs: [],
      ports,
      emit: emitUnlessFinal,
    });
    const stopped = untilAborted(stop);
    const outcome = await Promise.race([watched.all.then(() => 'ready' as const), stopped]);
    if (outcome === 'ready') {
      const { namespace, pod, container } = await source.current(stop);
      emit({ event: 'ready', namespace, pod, container, ports: services.ports, pairs: [] });
      await stopped;
    }
    emit({ event: 'phase', phase: 'stop', message: 'freeing the ports' });
  }
  emit({ event: 'stopped', restored: [], kept: [], remaining: [] });
}

/** Knows when every port has answered once; rejects when one is refused for a reason that trying again does not change. */
class FirstAnswers {
  readonly #answered = Promise.withResolvers<void>();
  readonly #active = new Set<PortForward>();
  readonly #ports: number;
  #isRefused = false;

  constructor(ports: number) {
    this.#ports = ports;
    this.all.catch(() => undefined);
  }

  get all(): Promise<void> {
    return this.#answered.promise;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  watch(forward: PortForward): PortForward {
    forward.onHealth(({ state, error }) => {
      if (state === 'active') this.#active.add(forward);
      if (this.#active.size === this.#ports) return this.#answered.resolve();
      if (error === undefined || !isFinal(error)) return;
      this.#isRefused = true;
      this.#answered.reject(error);
    });
    return forward;
  }
}

function isFinal({ code }: SlipwayError): boolean {
  return code === 'cluster.forbidden' || code === 'cluster.unauthorized' || code.startsWith('credential.');
}
