import type { z } from 'zod';
import type { logTarget } from '../../contract/terminals.ts';
import type { WorkloadKind } from '../../contract/workloads.ts';
import type { Clusters } from '../clusters/clusters.ts';
import type { PodSource } from '../dev/pod-source.ts';
import type { HandlersOf } from '../ipc/handlers.ts';
import type { Kube } from '../kube/kube.ts';
import { followLogs, type ContainerRun } from './logs.ts';
import { sendLog } from './send-log.ts';
import { Terminals, type TerminalsOptions } from './terminals.ts';

/** The containers of a workload, by its name or one container's. */
export interface LoggedWorkload {
  readonly namespace: string;
  readonly kind: WorkloadKind;
  readonly name: string;
  readonly container?: string | undefined;
}

export interface TerminalsDependencies extends TerminalsOptions {
  readonly clusters: Pick<Clusters, 'kube' | 'kubeFor'>;
  /** Follows which container of a workload runs; rejects when none does to begin with. */
  readonly openPods: (kube: Kube, workload: LoggedWorkload, signal: AbortSignal) => Promise<PodSource>;
}

export type TerminalsHandlers = HandlersOf<'terminals'> & HandlersOf<'logs'>;

/** Shells and logs of the windows. The handlers are to be disposed with the app: it ends the shells. */
export function createTerminalsHandlers(
  dependencies: TerminalsDependencies,
): TerminalsHandlers & AsyncDisposable {
  const terminals = new Terminals(dependencies);
  return {
    'terminals.list': () => ({
      get value() {
        return terminals.list.value;
      },
      onChange: terminals.list.onChange,
      [Symbol.dispose]: () => undefined,
    }),
    'terminals.open': async ({ target, size }, { signal }) => ({
      terminal: await terminals.open(target, size, signal),
    }),
    'terminals.close': async ({ terminal }) => {
      await terminals.close(terminal);
      return {};
    },
    'terminals.restart': async ({ terminal, size }) => {
      await terminals.restart(terminal, size);
      return {};
    },
    'terminals.attach': async ({ terminal }, peer) => terminals.attach(terminal, peer),
    'logs.follow': async ({ target, tailLines }, peer) => {
      await using source = await openSource(dependencies, target, peer.signal);
      const { kube, resolve } = source;
      const items = followLogs({ kube, resolve, tailLines, clock: dependencies.clock, signal: peer.signal });
      await sendLog(items, peer, dependencies.clock);
    },
    [Symbol.asyncDispose]: () => terminals[Symbol.asyncDispose](),
  };
}

interface LogSource extends AsyncDisposable {
  readonly kube: Pick<Kube, 'logs'>;
  readonly resolve: (signal?: AbortSignal) => Promise<ContainerRun>;
}

async function openSource(
  { clusters, sessions, openPods }: TerminalsDependencies,
  target: z.output<typeof logTarget>,
  signal: AbortSignal,
): Promise<LogSource> {
  if (target.kind === 'session') {
    const { kube } = await sessions.containerOf(target.session, signal);
    const resolve = async (stop?: AbortSignal): Promise<ContainerRun> => {
      const { target: container } = await sessions.containerOf(target.session, stop);
      return { ...container, run: container.containerId };
    };
    return { kube, resolve, [Symbol.asyncDispose]: async () => undefined };
  }
  const { cluster, namespace, workload: kind, name, container } = target;
  const kube = await clusters.kube(cluster);
  const pods = await openPods(kube, { namespace, kind, name, container }, signal);
  const resolve = async (stop?: AbortSignal): Promise<ContainerRun> => {
    const current = await pods.current(stop);
    return { ...current, run: current.containerId };
  };
  return { kube, resolve, [Symbol.asyncDispose]: () => pods[Symbol.asyncDispose]() };
}
