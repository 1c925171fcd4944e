import type { V1Namespace } from '@kubernetes/client-node';
import type { Command } from 'commander';
import { isSlipwayError } from '../../../base/errors.ts';
import { resourceTypes } from '../../../kube/resource-types.ts';
import type { Invocation } from '../command.ts';
import { formatTable } from '../output.ts';
import type { Act } from '../run-cli.ts';
import { listWorkloads } from '../workloads.ts';

export function addListCommand(program: Command, act: Act): void {
  const list = program.command('list').description('list contexts, namespaces or workloads');
  act(list.command('contexts').description('contexts of the kubeconfig; connects to nothing'), listContexts);
  act(
    list.command('namespaces').description('namespaces of the cluster, or the one of the context'),
    listNamespaces,
  );
  act(
    list.command('workloads').description('Deployments, StatefulSets and DaemonSets of a namespace'),
    listNamespaceWorkloads,
  );
}

async function listContexts(invocation: Invocation): Promise<undefined> {
  const contexts = await invocation.services.contexts({ kubeconfig: invocation.options.kubeconfig });
  for (const problem of contexts.problems) invocation.warn(`Ignored: ${problem}`);
  if (invocation.json) for (const context of contexts.items) invocation.printJson(context);
  else {
    invocation.print(
      formatTable(
        ['CURRENT', 'NAME', 'CLUSTER', 'USER', 'NAMESPACE'],
        contexts.items.map((item) => [
          item.current ? '*' : '',
          item.name,
          item.cluster,
          item.user,
          item.namespace ?? '',
        ]),
      ),
    );
  }
}

/** A user who may not list namespaces still sees the one that the context names. */
async function listNamespaces(invocation: Invocation): Promise<undefined> {
  const kube = await invocation.kube();
  const rows = await namespaceNames(invocation);
  if (rows.partial)
    invocation.warn(
      'You may not list namespaces: only that of the context is shown. Any other can be named with -n.',
    );
  if (invocation.json)
    for (const name of rows.names) invocation.printJson({ name, context: kube.contextName });
  else
    invocation.print(
      formatTable(
        ['NAME'],
        rows.names.map((name) => [name]),
      ),
    );
}

/** Names for lists and completion. */
export async function namespaceNames(
  invocation: Invocation,
): Promise<{ readonly names: readonly string[]; readonly partial: boolean }> {
  const kube = await invocation.kube();
  try {
    const { items } = await kube.list<V1Namespace>(resourceTypes.namespace, undefined, {
      signal: invocation.stop,
    });
    return { names: items.map((item) => item.metadata?.name ?? '').sort(), partial: false };
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.forbidden')) throw error;
    return { names: [kube.defaultNamespace], partial: true };
  }
}

async function listNamespaceWorkloads(invocation: Invocation): Promise<number | undefined> {
  const namespace = await invocation.namespace();
  const { rows, forbidden } = await listWorkloads(await invocation.kube(), namespace, invocation.stop);
  if (forbidden.length > 0) invocation.warn(`You may not list ${forbidden.join(', ')} in ${namespace}.`);
  if (rows.length === 0 && forbidden.length > 0) return 1;
  if (invocation.json) {
    for (const row of rows) invocation.printJson({ namespace, ...row });
    return undefined;
  }
  if (rows.length === 0) {
    await invocation.services.assertNamespace(await invocation.kube(), namespace, invocation.stop);
    invocation.warn(`No workloads in namespace ${namespace}.`);
    return undefined;
  }
  invocation.print(
    formatTable(
      ['KIND', 'NAME', 'READY', 'SESSION', 'IMAGES'],
      rows.map((row) => [
        row.kind,
        row.name,
        `${row.ready}/${row.replicas}`,
        row.session ?? '',
        row.images.join(', '),
      ]),
    ),
  );
  return undefined;
}
