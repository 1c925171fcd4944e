import type { Clock } from './base/clock.ts';
import { DisposableStore } from './base/dispose.ts';
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
  opened.add(
    source.onChange((ref) => {
      // What is said about the port has to be about the pod of now.
      if (ref !== undefined) void forward.probe().catch(() => undefined);
    }),
  );
  return {
    bound: { local: forward.localPort, remote, addresses: forward.bound },
    onHealth: (listener) => forward.onHealth((health) => listener(describeHealth(health))),
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
