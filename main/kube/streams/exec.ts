import type { Clock } from '../../base/clock.ts';
import type { ExecOptions, ExecStream, PodTarget } from '../kube.ts';
import { resourcePath } from '../api-paths.ts';
import { resourceTypes } from '../resource-types.ts';
import type { KubeTransport, Query } from '../transport.ts';
import { channelProtocols, openChannels } from './channel.ts';

export interface ExecDependencies {
  readonly transport: Pick<KubeTransport, 'webSocket'>;
  readonly clock: Clock;
  /** Subprotocols to offer; {@link channelProtocols} unless said otherwise. */
  readonly protocols?: readonly string[];
}

/** Runs a command in a container. Rejects with what the server said when it refuses. */
export async function exec(
  dependencies: ExecDependencies,
  target: PodTarget,
  options: ExecOptions,
): Promise<ExecStream> {
  const command: Query = options.command.map((word) => ['command', word] as const);
  return openPodChannels(dependencies, 'exec', target, options, command);
}

/** Joins the process that the container was started with. Rejects with what the server said when it refuses. */
export async function attach(
  dependencies: ExecDependencies,
  target: PodTarget,
  options: Omit<ExecOptions, 'command'>,
): Promise<ExecStream> {
  return openPodChannels(dependencies, 'attach', target, options, []);
}

async function openPodChannels(
  { transport, clock, protocols = channelProtocols }: ExecDependencies,
  subresource: 'exec' | 'attach',
  target: PodTarget,
  options: Omit<ExecOptions, 'command'>,
  command: Query,
): Promise<ExecStream> {
  const stdin = options.stdin === true;
  const tty = options.tty === true;
  const subject = `pod ${target.namespace}/${target.pod}`;
  const socket = await transport.webSocket({
    path: resourcePath(resourceTypes.pod, { namespace: target.namespace, name: target.pod, subresource }),
    query: [
      ...(target.container === undefined ? [] : [['container', target.container] as const]),
      ['stdin', String(stdin)],
      ['stdout', 'true'],
      // The server refuses standard error together with a terminal.
      ['stderr', String(!tty)],
      ['tty', String(tty)],
      ...command,
    ],
    protocols,
    subject,
    signal: options.signal,
  });
  return openChannels({ socket, clock, subject, stdin, tty, signal: options.signal });
}
