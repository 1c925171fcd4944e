import { z } from 'zod';
import { clusterId } from './clusters.ts';
import { method, state } from './define.ts';
import type { ErrorValue } from './errors.ts';
import type { Listing } from './listing.ts';

/** A session that nobody runs any more, or a replacement that another tool left. */
export interface Leftover {
  readonly namespace: string;
  /** Like `Deployment/web`. */
  readonly target: string;
  readonly tool: 'Slipway' | 'DevSpace';
  readonly user: string;
  readonly machine: string;
  /** ISO 8601; empty when nobody wrote it down. */
  readonly since: string;
  readonly mine: boolean;
  /** `live`: another process runs it, and nothing is done to it. */
  readonly state: 'live' | 'dead' | 'no-lease' | 'ledger-only';
  readonly can: readonly ('restore' | 'remove')[];
  /** Why it is not possible, when `can` lacks something. */
  readonly cannot?: string | undefined;
}

export interface LeftoverPreview {
  readonly key: string;
  readonly steps: readonly string[];
  readonly error?: ErrorValue | undefined;
}

export interface LeftoverResult {
  readonly key: string;
  readonly done: readonly string[];
  readonly kept: readonly string[];
  readonly remaining: readonly string[];
  readonly error?: ErrorValue | undefined;
}

const keys = z.array(z.string().min(1).max(512)).min(1).max(200);
const action = z.enum(['restore', 'remove']);

export const leftoversContract = {
  'leftovers.list': state<Listing<Leftover>>()(z.strictObject({ cluster: clusterId })),
  /** How many there are in each cluster that is connected. */
  'leftovers.counts': state<{ readonly items: Readonly<Record<string, number>> }>()(z.strictObject({})),
  'leftovers.refresh': method<Record<string, never>>()(z.strictObject({ cluster: clusterId })),
  /** What would be done, a sentence each; changes nothing. */
  'leftovers.preview': method<{
    readonly items: readonly LeftoverPreview[];
    /** What has to be typed before, and why; absent when nothing. */
    readonly confirmation?: { readonly type: string; readonly why: string } | undefined;
  }>()(z.strictObject({ cluster: clusterId, keys, action })),
  /** `restore` puts the workload back and removes what was added; `remove` only removes what was added. */
  'leftovers.act': method<{ readonly items: readonly LeftoverResult[] }>()(
    z.strictObject({ cluster: clusterId, keys, action, confirmation: z.string().max(512).optional() }),
  ),
  /** What it is, who left it, and the commands that look at it, as lines. */
  'leftovers.explain': method<{ readonly lines: readonly string[]; readonly commands: readonly string[] }>()(
    z.strictObject({ cluster: clusterId, key: z.string().min(1).max(512) }),
  ),
} as const;
