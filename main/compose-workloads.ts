import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clusters } from './clusters/clusters.ts';
import type { Services } from './compose.ts';
import { parseContainerCommand } from './session/container-command.ts';
import { judgeLease } from './session/lease.ts';
import { keys, sessionObjectsSelector } from './session/names.ts';
import { selectorText, sessionOf } from './session/objects.ts';
import { findOwners, ownerWarning } from './session/owners.ts';
import { obstacles } from './session/plan.ts';
import { serverTime } from './session/server-time.ts';
import { compileLines } from './sync/ignore/explain.ts';
import { pairId } from './sync/pair.ts';
import { createPathRules } from './sync/rules.ts';
import type { LiveSessions, WorkloadsDependencies } from './workloads/dependencies.ts';
import { openFolder } from './workloads/folder-reader.ts';
import { freePort } from './workloads/free-port.ts';
import type { PlanStore } from './workloads/plan-store.ts';

export interface WorkloadsParts {
  readonly services: Pick<
    Services,
    'clock' | 'home' | 'processes' | 'sessions' | 'preflight' | 'missingRights'
  >;
  readonly isDefaultKubeconfig: WorkloadsDependencies['isDefaultKubeconfig'];
  readonly clusters: Clusters;
  readonly plans: PlanStore;
  readonly live: LiveSessions;
  /** Patterns of the settings that every new session begins with. */
  readonly defaultExcludes: () => readonly string[];
}

/** Joins what the pages of workloads are built on: hand it to `createWorkloadsHandlers`. */
export function composeWorkloads(parts: WorkloadsParts): WorkloadsDependencies {
  const { services, clusters, plans, live, isDefaultKubeconfig } = parts;
  const { clock, home, sessions, preflight, missingRights } = services;
  return {
    clusters,
    clock,
    plans,
    live,
    session: {
      findOwners,
      ownerWarning,
      obstacles,
      sessionOf,
      selectorText,
      judgeLease: (lease, now) => judgeLease(lease, now, services.processes),
      serverTime,
      keys,
      sessionObjectsSelector,
    },
    sessions,
    preflight,
    missingRights,
    compileRules: (excludes) => createPathRules({ exclude: compileLines(excludes, 'git') }),
    async hasPast(identity) {
      try {
        await access(join(home, 'sync', pairId(identity), 'ancestor'));
        return true;
      } catch {
        return false;
      }
    },
    parseCommand: parseContainerCommand,
    defaultExcludes: parts.defaultExcludes,
    isDefaultKubeconfig,
    openFolder,
    freePort,
  };
}
