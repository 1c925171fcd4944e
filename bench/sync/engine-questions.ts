import { AskedProcess } from '../support/children.ts';
import { testKubeconfig } from '../../tests/support/kubectl.ts';
import type { Bed, BenchPair } from './bed.ts';

/** What a process with the app's sync in it is asked. */
export type EngineQuestion =
  | {
      readonly kind: 'open';
      readonly namespace: string;
      readonly pod: string;
      readonly container: string;
      readonly local: string;
      readonly remote: string;
    }
  /** Bytes that left for the network since it began. */
  | { readonly kind: 'sent' }
  /** Garbage, so that what is resident afterwards is in use. */
  | { readonly kind: 'collect' }
  | { readonly kind: 'resources' }
  | { readonly kind: 'profile' }
  | { readonly kind: 'end-profile'; readonly path: string }
  | { readonly kind: 'close' };

/** When things were so, in monotonic milliseconds. */
export interface OpenTimes {
  readonly begun: number;
  /** The folder here was looked through and the connection began. */
  readonly connecting: number;
  /** The helper answered. */
  readonly attached: number;
  readonly inSync: number;
  /** Processor time of the app from when the helper answered until both sides were alike. */
  readonly cpuMs: number;
}

export interface Resources {
  readonly pid: number;
  readonly cpuMs: number;
  readonly residentBytes: number;
}

export function startEngine(pair: BenchPair): AskedProcess {
  return new AskedProcess(new URL('engine-process.ts', import.meta.url), {
    env: { ...process.env, KUBECONFIG: testKubeconfig(), SLIPWAY_HOME: pair.home },
    execArgv: ['--expose-gc'],
  });
}

export function openQuestion(bed: Bed, { local, remote }: BenchPair): EngineQuestion {
  const { namespace, pod, container } = bed;
  return { kind: 'open', namespace, pod, container, local, remote };
}
