import type { Clock } from '../base/clock.ts';
import { KubeStatusError } from './errors.ts';
import type { KubeTransport } from './transport.ts';

/** A sign of life is good for all watches of a cluster for this long. */
const freshMs = 10_000;
/** A server that does not answer within this is not there. */
const probeTimeoutMs = 8_000;

/**
 * Asks the server for a sign of life: any answer, a refusal too, is one. Callers at the same time share a request.
 */
export function createProbe(transport: KubeTransport, clock: Clock): (signal: AbortSignal) => Promise<void> {
  let last = -Infinity;
  let running: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      await transport.text({
        path: '/version',
        subject: 'the version of the server',
        timeoutMs: probeTimeoutMs,
      });
    } catch (error) {
      if (!(error instanceof KubeStatusError)) throw error;
    }
    last = clock.monotonic();
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (clock.monotonic() - last < freshMs) return;
    running ??= ask().finally(() => (running = undefined));
    await running;
  };
}
