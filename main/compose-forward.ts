import type { Clock } from './base/clock.ts';
import { DisposableStore } from './base/dispose.ts';
import { isCancellation } from './base/errors.ts';
import { Emitter } from './base/event.ts';
import { openForward, type ForwardHealth } from './channels/forward.ts';
import type { PodSource } from './dev/pod-source.ts';
import type { PortForward, PortHealth } from './dev/services.ts';
import type { Kube } from './kube/kube.ts';

/** A local port that leads to a port of whichever container the source has. */
export async function openPort(
  clock: Clock,
  kube: Kube,
  { local, remote }: { readonly local: number; readonly remote: number },
  source: PodSource,
): Promise<PortForward> {
  const opened = new DisposableStore();
  const forward = opened.add(
    await openForward({
      kube,
      clock,
      localPort: local,
      async resolve(signal) {
        const { namespace, pod } = await source.current(signal);
        return { namespace, pod, port: remote };
      },
    }),
  );
  const health = opened.add(new Emitter<PortHealth>());
  opened.add(forward.onHealth((now) => health.fire(describeHealth(now))));
  opened.add(
    source.onChange((ref) => {
      if (ref === undefined) return health.fire({ state: 'connecting', message: 'no pod runs now' });
      // What is said about the port has to be about the pod of now.
      forward.probe().then(
        (now) => health.fire(describeHealth(now)),
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
    }),
  );
  return {
    bound: { local: forward.localPort, remote, addresses: forward.bound },
    onHealth: health.event,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

function describeHealth(health: ForwardHealth): PortHealth {
  switch (health.kind) {
    case 'connecting':
      return { state: 'connecting', message: 'looking for the port in the pod' };
    case 'active':
      return { state: 'active', message: 'the port answers' };
    case 'failed':
      return {
        state: 'failed',
        message: `${health.error.message} ${health.error.causeText}`.trim(),
        error: health.error,
      };
  }
}
