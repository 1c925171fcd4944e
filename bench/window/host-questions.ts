import { AskedProcess } from '../support/children.ts';

/** What the host of a benchmark is asked. */
export type HostQuestion =
  | { readonly kind: 'url' }
  | {
      readonly kind: 'session';
      readonly namespace: string;
      readonly folder: string;
      /** A line for the shell of the dev container. */
      readonly command?: string | undefined;
    }
  | { readonly kind: 'flood'; readonly perSecond: number }
  | { readonly kind: 'told' }
  | { readonly kind: 'reset-delays' }
  | { readonly kind: 'delays' }
  | { readonly kind: 'memory' }
  | { readonly kind: 'cpu' }
  | { readonly kind: 'profile' }
  | { readonly kind: 'end-profile'; readonly path: string };

/** How much later than asked for its timers came, in milliseconds. */
export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface StartedSession {
  readonly session: string;
  readonly pod: string;
}

/** A host with a kubeconfig and a home of its own. */
export function startHost(options: { readonly kubeconfig: string; readonly home: string }): AskedProcess {
  return new AskedProcess(new URL('host.ts', import.meta.url), {
    env: { ...process.env, KUBECONFIG: options.kubeconfig, SLIPWAY_HOME: options.home },
  });
}
