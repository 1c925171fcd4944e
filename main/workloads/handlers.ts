import type { HandlersOf } from '../ipc/handlers.ts';
import type { WorkloadsDependencies } from './dependencies.ts';
import { detect } from './detect.ts';
import { FlightPlanner } from './flight-plan.ts';
import { preflightOf } from './preflight.ts';
import { SharedStates } from './shared-states.ts';
import { WorkloadList } from './workload-list.ts';
import { WorkloadPage } from './workload-detail.ts';

/** What answers a window about workloads. */
export function createWorkloadsHandlers(dependencies: WorkloadsDependencies): HandlersOf<'workloads'> {
  const planner = new FlightPlanner(dependencies);
  const lists = new SharedStates(dependencies.clock, (params: ListParams) => {
    for (const namespace of params.namespaces) {
      dependencies.clusters.noteNamespace(params.cluster, namespace);
    }
    return new WorkloadList(dependencies, params);
  });
  const pages = new SharedStates(
    dependencies.clock,
    (key: PageParams) => new WorkloadPage(dependencies, key),
  );
  return {
    'workloads.list': ({ cluster, namespaces }) =>
      lists.open({ cluster, namespaces: [...new Set(namespaces)].sort() }),
    'workloads.detail': (key) => pages.open(key),
    'workloads.preflight': (key, { signal }) => preflightOf(dependencies, key, signal),
    'workloads.detect': (question, { signal }) => detect(dependencies, question, signal),
    'workloads.plan': (form, { signal }) => planner.plan(form, signal),
  };
}

type ListParams = ConstructorParameters<typeof WorkloadList>[1];
type PageParams = ConstructorParameters<typeof WorkloadPage>[1];
