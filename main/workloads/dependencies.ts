import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { Clusters } from '../clusters/clusters.ts';
import type { Channel, TargetKind } from '../kube/access/rights.ts';
import type { ChannelRights } from '../kube/access/preflight.ts';
import type { Kube } from '../kube/kube.ts';
import type { LeaseObject, Liveness } from '../session/lease.ts';
import type { keys, sessionObjectsSelector } from '../session/names.ts';
import type { selectorText, sessionOf } from '../session/objects.ts';
import type { findOwners, ownerWarning } from '../session/owners.ts';
import type { MissingRight, obstacles } from '../session/plan.ts';
import type { serverTime } from '../session/server-time.ts';
import type { Sessions } from '../session/session.ts';
import type { PairIdentity } from '../sync/pair.ts';
import type { FolderReader } from './folder-reader.ts';
import type { PlanStore } from './plan-store.ts';

/** Which workload of which cluster. */
export interface WorkloadPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** The sessions that this app runs now. */
export interface LiveSessions {
  /** Id of the app's own session on a workload. */
  sessionOn(place: WorkloadPlace): string | undefined;
  readonly onChange: Event<void>;
}

/** What the session feature knows about objects of a cluster. */
export interface SessionKnowledge {
  readonly findOwners: typeof findOwners;
  readonly ownerWarning: typeof ownerWarning;
  readonly obstacles: typeof obstacles;
  readonly sessionOf: typeof sessionOf;
  readonly selectorText: typeof selectorText;
  /** `serverNow` by the server's clock. */
  judgeLease(lease: LeaseObject, serverNow: number | undefined): Liveness;
  readonly serverTime: typeof serverTime;
  readonly keys: typeof keys;
  readonly sessionObjectsSelector: typeof sessionObjectsSelector;
}

/** Which paths take part in a sync. */
export interface PathVerdicts {
  excluded(path: string, isDirectory: boolean): boolean;
}

export interface RightsQuestion {
  readonly namespace: string;
  readonly kind: TargetKind;
  readonly name: string;
  readonly channels: readonly Channel[];
  readonly signal?: AbortSignal | undefined;
}

/** What this feature is built on; `compose-workloads.ts` joins it. */
export interface WorkloadsDependencies {
  readonly clusters: Clusters;
  readonly clock: Clock;
  readonly plans: PlanStore;
  readonly live: LiveSessions;
  readonly session: SessionKnowledge;
  sessions(kube: Kube): Sessions;
  preflight(kube: Kube, question: RightsQuestion): Promise<readonly ChannelRights[]>;
  missingRights(kube: Kube, question: RightsQuestion): Promise<readonly MissingRight[]>;
  /** Throws `sync.rules-invalid` for a pattern that cannot be used. */
  compileRules(excludes: readonly string[]): PathVerdicts;
  /** Whether both sides of a pair agreed on something before, so that its next sync is not the first one. */
  hasPast(identity: PairIdentity): Promise<boolean>;
  /** The words of a command as the user wrote it. Throws `usage.invalid`. */
  parseCommand(text: string): readonly string[];
  /** Patterns that every new session begins with. */
  defaultExcludes(): readonly string[];
  /** Whether the command line finds contexts of this file by itself. */
  isDefaultKubeconfig(file: string): boolean;
  openFolder(path: string): Promise<FolderReader>;
  /** The port itself, or the next one that is free on this machine; undefined when none near it is. */
  freePort(port: number): Promise<number | undefined>;
}
