import { systemClock, type Clock } from '../../base/clock.ts';
import type { Kube } from '../kube.ts';
import type { KubeTransport } from '../transport.ts';
import { attach, exec } from './exec.ts';
import { forward } from './forward.ts';
import { logs } from './logs.ts';

/** The streaming half of {@link Kube}, over one cluster's transport. */
export function createStreams(
  transport: Pick<KubeTransport, 'webSocket' | 'stream'>,
  clock: Clock = systemClock,
): Pick<Kube, 'exec' | 'attach' | 'forward' | 'logs'> {
  const dependencies = { transport, clock };
  return {
    exec: (target, options) => exec(dependencies, target, options),
    attach: (target, options) => attach(dependencies, target, options),
    forward: (target, options) => forward(dependencies, target, options),
    logs: (target, options) => logs(dependencies, target, options),
  };
}
