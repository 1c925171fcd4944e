import { z } from 'zod';
import { method, state } from './define.ts';
import type { ErrorValue } from './errors.ts';
import type { Listing } from './listing.ts';
import type { ClusterColor, Guard } from './settings.ts';

/** One context of one kubeconfig. */
export interface Cluster {
  /** Stays the same over restarts: a hash of where its kubeconfig comes from and the context's name. */
  readonly id: string;
  readonly context: string;
  readonly cluster: string;
  readonly user: string;
  readonly server: string;
  readonly file: string;
  readonly namespace: string;
  readonly initials: string;
  readonly color: ClusterColor;
  readonly guard: Guard;
  /** The guard that its name suggests, where none was chosen. */
  readonly suggestedGuard?: Guard | undefined;
  /** The `current-context` of its kubeconfig. */
  readonly current: boolean;
}

export interface KubeconfigFile {
  readonly path: string;
  readonly origin: 'KUBECONFIG' | 'default' | 'settings';
  readonly exists: boolean;
  readonly contexts: number;
}

/** The clusters in the order of the rail, the files they come from, and what is wrong with those. */
export interface ClusterList extends Listing<Cluster> {
  readonly order: readonly string[];
  readonly files: readonly KubeconfigFile[];
}

export interface Connection {
  readonly state: 'connecting' | 'connected' | 'failed';
  readonly version?: string | undefined;
  /** As the server sees the user. */
  readonly user?: string | undefined;
  readonly error?: ErrorValue | undefined;
}

export interface Namespace {
  readonly name: string;
  readonly terminating: boolean;
}

export const clusterId = z.string().regex(/^[a-z0-9]{1,64}$/);
const params = z.strictObject({ cluster: clusterId });

export const clustersContract = {
  'clusters.list': state<ClusterList>()(z.strictObject({})),
  /** Watching it connects. */
  'clusters.connection': state<Connection>()(params),
  /** Where listing them is forbidden: those that are known from the context and from use, as `partial`. */
  'clusters.namespaces': state<Listing<Namespace>>()(params),
  /** Tries again at once what failed or is stale. */
  'clusters.retry': method<Record<string, never>>()(params),
} as const;
