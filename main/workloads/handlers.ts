import type { Listing } from '../../contract/listing.ts';
import type { Workload, WorkloadDetail, WorkloadKey } from '../../contract/workloads.ts';
import { SharedStates } from '../base/shared-states.ts';
import type { HandlersOf } from '../ipc/handlers.ts';
import type { WorkloadsDependencies } from './dependencies.ts';
import { detect } from './detect.ts';
import { FlightPlanner } from './flight-plan.ts';
import { preflightOf } from './preflight.ts';
import { WorkloadList } from './workload-list.ts';
import { WorkloadPage } from './workload-detail.ts';

/** What answers a window about workloads. Disposing ends all watching. */
export function createWorkloadsHandlers(
  dependencies: WorkloadsDependencies,
): HandlersOf<'workloads'> & AsyncDisposable {
  const planner = new FlightPlanner(dependencies);
  const { clusters, clock } = dependencies;
  const lists = new SharedStates<ListParams, Listing<Workload>, WorkloadList>(clock, (params) => {
    for (const namespace of params.namespaces) clusters.noteNamespace(params.cluster, namespace);
    return new WorkloadList(dependencies, params);
  });
  const pages = new SharedStates<WorkloadKey, WorkloadDetail, WorkloadPage>(
    clock,
    (key) => new WorkloadPage(dependencies, key),
  );
  return {
    'workloads.list': ({ cluster, namespaces }) =>
      lists.watch({ cluster, namespaces: [...new Set(namespaces)].sort() }),
    'workloads.detail': (key) => pages.watch(key),
    'workloads.preflight': (key, { signal }) => preflightOf(dependencies, key, signal),
    'workloads.detect': (question, { signal }) => detect(dependencies, question, signal),
    'workloads.plan': (form, { signal }) => planner.plan(form, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([lists[Symbol.asyncDispose](), pages[Symbol.asyncDispose]()]);
    },
  };
}

type ListParams = ConstructorParameters<typeof WorkloadList>[1];
