import { z } from 'zod';
import { localPath } from './app.ts';
import { clusterId } from './clusters.ts';
import { method, state } from './define.ts';
import type { ErrorValue } from './errors.ts';
import type { Listing } from './listing.ts';
import { workloadKinds, type WorkloadKind } from './workload-kinds.ts';

export { workloadKinds, type WorkloadKind };

/** A session on a workload, as the list of workloads tells it. */
export interface DevState {
  readonly state: 'mine' | 'other' | 'dead';
  /** The session of this app, when it is one. */
  readonly session?: string | undefined;
  readonly holder: string;
  readonly since: string;
}

export interface Workload {
  readonly namespace: string;
  readonly kind: WorkloadKind;
  readonly name: string;
  readonly ready: number;
  readonly desired: number;
  readonly images: readonly string[];
  /** Who made it: Helm release, Argo CD application and so on. */
  readonly owner?: string | undefined;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly dev?: DevState | undefined;
  /** Only some kinds can be replaced by a dev pod; the others can be reached. */
  readonly replaceable: boolean;
}

export interface ContainerSummary {
  readonly name: string;
  readonly image: string;
  readonly command: string;
  readonly workingDir?: string | undefined;
  readonly ports: readonly {
    readonly name?: string | undefined;
    readonly port: number;
    readonly protocol: string;
  }[];
  readonly env: number;
  readonly mounts: readonly { readonly path: string; readonly source: string; readonly readOnly: boolean }[];
  /** Like `cpu 100m, memory 64Mi`; empty when none is set. */
  readonly requests: string;
  readonly limits: string;
}

export interface PodSummary {
  readonly name: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly node?: string | undefined;
  readonly createdAt: string;
  /** Why it is not ready, in the kubelet's words. */
  readonly reason?: string | undefined;
  readonly containers: readonly string[];
}

export interface ObjectEvent {
  readonly at: string;
  readonly warning: boolean;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

export interface WorkloadDetail {
  readonly state: 'loading' | 'ready' | 'stale' | 'gone' | 'error';
  readonly since?: string | undefined;
  readonly error?: ErrorValue | undefined;
  readonly workload?: Workload | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly ContainerSummary[];
  readonly pods: Listing<PodSummary>;
  /** From the workload outwards, like `Helm release shop`. */
  readonly owners: readonly string[];
  readonly services: readonly { readonly name: string; readonly ports: readonly string[] }[];
  readonly events: Listing<ObjectEvent>;
}

export interface PreflightMatrix {
  readonly channels: readonly {
    readonly channel: string;
    /** Like "Replace by a dev pod". */
    readonly label: string;
    readonly verdict: 'allowed' | 'missing' | 'unknown';
    readonly rights: readonly {
      /** Like `patch deployments.apps/scale "web"`. */
      readonly right: string;
      readonly optional: boolean;
      readonly answer: 'allowed' | 'denied' | 'unknown';
      readonly reason?: string | undefined;
    }[];
  }[];
  /** YAML of the Role and RoleBinding that would grant what is missing; absent when nothing is. */
  readonly missingRole?: string | undefined;
  /** What a guard of this app forbids on top. */
  readonly guard?: string | undefined;
}

/** A value that was found out, and how. */
export interface Detected<Value> {
  readonly value: Value;
  readonly why: string;
}

export interface Detection {
  readonly folder: string;
  readonly problem?: ErrorValue | undefined;
  readonly language?: Detected<string> | undefined;
  readonly containerPath?: Detected<string> | undefined;
  readonly excludes: readonly Detected<string>[];
  readonly ports: readonly Detected<{ readonly local: number; readonly remote: number }>[];
  readonly command?: Detected<string> | undefined;
  /** Why no container was looked into, a sentence; absent where one was. */
  readonly blind?: string | undefined;
  readonly devspaceConfig: boolean;
}

/** As the cluster has it, however odd; only what would lead elsewhere in a path is no name. */
export const objectName = z
  .string()
  .min(1)
  .max(253)
  .refine((name) => name !== '.' && name !== '..', 'a name');
export const workloadKey = z.strictObject({
  cluster: clusterId,
  namespace: objectName,
  kind: z.enum(workloadKinds),
  name: objectName,
});
export type WorkloadKey = z.infer<typeof workloadKey>;

const port = z.number().int().min(1).max(65_535);
const remotePath = z.string().min(1).max(4096);
/** Who decides where there is no common past, and who wins when both sides changed; as in main/sync/strategy.ts. */
export const strategies = [
  'mirrorLocal',
  'mirrorRemote',
  'preferLocal',
  'preferRemote',
  'preferNewest',
  'keepAll',
  'disabled',
] as const;

/** What the user asks for with Start. */
export const startForm = z.strictObject({
  ...workloadKey.shape,
  container: objectName.optional(),
  /** Folder of this machine. */
  folder: localPath,
  /** Absolute, or relative to the container's working folder. */
  containerPath: remotePath,
  createPath: z.boolean(),
  strategy: z.enum(strategies).default('preferLocal'),
  excludes: z.array(z.string().max(1024)).max(1000),
  ports: z.array(z.strictObject({ local: port, remote: port })).max(64),
  image: z.string().max(1024).optional(),
  /** A line for the container's shell, or a JSON array; absent keeps what the workload runs. */
  command: z.string().max(8192).optional(),
  env: z.array(z.strictObject({ name: z.string().min(1).max(256), value: z.string().max(32_768) })).max(256),
});
export type StartForm = z.infer<typeof startForm>;

/** Files and bytes of one kind of step of a first sync. */
export interface FileCount {
  readonly files: number;
  readonly bytes: number;
  /** The first of them. */
  readonly examples: readonly string[];
}

/** Everything that is known before Start about what Start would do. Nothing was changed for it. */
export interface FlightPlan {
  /** Names the plan for `sessions.start`. */
  readonly id: string;
  /** What the button says: "Replace web (2 → 0) and start web-dev". */
  readonly action: string;
  readonly user: string;
  readonly podDiff: readonly {
    readonly path: string;
    readonly from: string;
    readonly to: string;
    readonly why: string;
  }[];
  readonly files: {
    /** Files of the laptop within the rules. */
    readonly local: FileCount;
    /** Left out by rules. */
    readonly excluded: number;
    /** As far as the container could be looked at before Start. */
    readonly container:
      | {
          readonly kind: 'compared';
          readonly upload: FileCount;
          readonly overwriteInContainer: FileCount;
          readonly deleteInContainer: FileCount;
          readonly download: FileCount;
          /** Asked for before it happens, like `deleteHere`. */
          readonly overwriteHere: FileCount;
          readonly deleteHere: FileCount;
          /** Both sides have them, they differ, and somebody or the files' times will decide. */
          readonly undecided: FileCount;
          readonly same: number;
          /** How the comparison was made, and what it cannot tell. */
          readonly basis: string;
        }
      | { readonly kind: 'unknown'; readonly reason: string };
    /** What becomes of files that both sides have and that differ: one sentence. */
    readonly promise: string;
  };
  readonly owners: readonly { readonly name: string; readonly effect: string }[];
  readonly services: readonly { readonly name: string; readonly ports: readonly string[] }[];
  /** Probes and the like that the dev pod does without. */
  readonly relaxed: readonly string[];
  readonly admission: { readonly kind: 'admitted' | 'refused' | 'unknown'; readonly text: string };
  readonly quota: { readonly kind: 'fits' | 'exceeded' | 'none' | 'unknown'; readonly text: string };
  readonly heldBy?: { readonly holder: string; readonly since: string; readonly live: boolean } | undefined;
  readonly warnings: readonly string[];
  readonly unknown: readonly string[];
  /** What forbids Start; empty when nothing does. */
  readonly obstacles: readonly ErrorValue[];
  /** Set when the context is protected: what has to be typed. */
  readonly confirm?: { readonly type: string; readonly why: string } | undefined;
  /** The same as a command line. */
  readonly commandLine: string;
}

export const workloadsContract = {
  /** No namespaces means all of them. */
  'workloads.list': state<Listing<Workload>>()(
    z.strictObject({ cluster: clusterId, namespaces: z.array(objectName).max(50) }),
  ),
  'workloads.detail': state<WorkloadDetail>()(workloadKey),
  'workloads.preflight': method<PreflightMatrix>()(workloadKey),
  'workloads.detect': method<Detection>()(
    z.strictObject({ ...workloadKey.shape, container: objectName.optional(), folder: localPath }),
  ),
  'workloads.plan': method<FlightPlan>()(startForm),
} as const;
