/**
 * Sessions: replace a workload's pods by one dev pod, and put everything back.
 *
 *     const sessions = createSessions({ kube, stateFiles, home, clock, machine });
 *     const plan = await sessions.plan({ namespace, target: { kind: 'Deployment', name }, project, changes: {} });
 *     const outcome = await sessions.start(plan, { rights });        // throws before any change when it cannot
 *     if (outcome.kind === 'own-dead') …                             // sessions.restore(outcome.leftover), or
 *                                                                    // sessions.start(plan, { ownDead: 'continue' })
 *     const session = outcome.session;
 *     const pod = await session.waitForPod({ onProgress });          // DevPod { name, uid, container, … }
 *     session.observePod((state) => …);                              // for sync, forwards, terminal
 *     session.onEvent((event) => …);                                 // lease lost, replicas changed by …
 *     const report = await session.stop();                           // or session.leave() for --keep
 *
 * `waitForPod` that fails leaves the session running: call `stop()`.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { ProcessMarks } from '../base/process-marks.ts';
import type { StateFiles } from '../base/state-files.ts';
import type { Kube } from '../kube/kube.ts';
import { gatherPlan } from './gather.ts';
import { createLedger } from './ledger.ts';
import { findLeftovers, type Leftover, type LeftoverList } from './leftovers.ts';
import type { SessionPlan, SessionRequest } from './plan.ts';
import { restoreLeftover, type RestoreOptions, type RestoreReport } from './restore.ts';
import { removeLeftover } from './remove.ts';
import { resetSessions, type ResetOptions, type ResetReport } from './reset.ts';
import { startSession, type StartOptions, type StartOutcome } from './start.ts';

export interface SessionDependencies {
  readonly kube: Kube;
  readonly stateFiles: StateFiles;
  /** The app's own folder (`SLIPWAY_HOME`); ledgers are below `sessions/`. */
  readonly home: string;
  readonly clock: Clock;
  /** This machine's name, for people to read. */
  readonly machine: string;
  /** Marks the Leases of this process, and knows of marks of this machine; without it each Lease takes its minute. */
  readonly processes?: ProcessMarks | undefined;
  /** Random bytes for identities. */
  readonly random?: ((length: number) => Uint8Array) | undefined;
}

export interface Sessions {
  /** What would happen. Changes nothing; throws when the target does not exist or cannot be replaced. */
  plan(request: SessionRequest, options?: { readonly signal?: AbortSignal }): Promise<SessionPlan>;
  /** Replaces the target's pods. Everything that stands against it is thrown before anything is changed. */
  start(plan: SessionPlan, options?: StartOptions): Promise<StartOutcome>;
  /** Sessions of anybody, live and dead, in one namespace or wherever this user may look. */
  leftovers(options?: {
    readonly namespace?: string | undefined;
    readonly signal?: AbortSignal;
  }): Promise<LeftoverList>;
  /** Puts back what one dead session changed and removes what it created. */
  restore(leftover: Leftover, options?: RestoreOptions): Promise<RestoreReport>;
  /** Removes what one dead session created and leaves its workload as it is now. */
  remove(leftover: Leftover, options?: RestoreOptions): Promise<RestoreReport>;
  /** Restores one's own dead sessions; with `force` those of others too. Live ones are never touched. */
  reset(options?: ResetOptions): Promise<ResetReport>;
}

/** The parts that every function of this feature works with. */
export interface SessionContext {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly machine: string;
  readonly processes?: ProcessMarks | undefined;
  readonly ledger: ReturnType<typeof createLedger>;
  readonly random: (length: number) => Uint8Array;
}

export function createSessions(dependencies: SessionDependencies): Sessions {
  const { kube, stateFiles, home, clock, machine } = dependencies;
  const context: SessionContext = {
    kube,
    clock,
    machine,
    processes: dependencies.processes,
    ledger: createLedger({ stateFiles, home, server: kube.server, contextName: kube.contextName }),
    random: dependencies.random ?? randomBytes,
  };
  return {
    plan: (request, options) => gatherPlan(context, request, options),
    start: (plan, options) => startSession(context, plan, options),
    leftovers: (options) => findLeftovers(context, options),
    restore: (leftover, options) => restoreLeftover(context, leftover, options),
    remove: (leftover, options) => removeLeftover(context, leftover, options),
    reset: (options) => resetSessions(context, options),
  };
}

export type { PodState } from './current-pod.ts';
export type { Session, SessionEvent } from './active-session.ts';
export type {
  Leftover,
  LeftoverList,
  RestoreReport,
  SessionPlan,
  SessionRequest,
  StartOptions,
  StartOutcome,
};
