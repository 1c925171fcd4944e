import type { Command } from 'commander';
import type { Leftover, LeftoverList } from '../../../session/session.ts';
import { SlipwayError } from '../../../base/errors.ts';
import { describeKept } from '../../../dev/run-dev.ts';
import { leftOutNote } from '../../../kube/readable-object.ts';
import type { Invocation } from '../command.ts';
import { addConfirmFlag, type ConfirmFlag } from '../confirm-flag.ts';
import { formatTable } from '../output.ts';
import type { Act } from '../run-cli.ts';

interface ResetFlags extends ConfirmFlag {
  readonly force?: boolean;
  readonly allNamespaces?: boolean;
}

export function addLeftoversCommands(program: Command, act: Act): void {
  act<{ allNamespaces?: boolean }>(
    program
      .command('leftovers')
      .description('what dead sessions left in the cluster: whose, since when, and what would be restored')
      .option('-A, --all-namespaces', 'every namespace that you may look into'),
    (invocation, _args, flags) => showLeftovers(invocation, flags.allNamespaces === true),
  );
  const reset = program.command('reset').description('put back what a session changed');
  act<ResetFlags>(
    addConfirmFlag(
      reset
        .command('pods')
        .description('restore your own dead sessions; live ones are never touched')
        .option('-A, --all-namespaces', 'every namespace that you may look into')
        .option('--force', "other people's dead sessions too"),
    ),
    (invocation, _args, flags) => resetPods(invocation, flags),
  );
}

async function scope(invocation: Invocation, all: boolean): Promise<string | undefined> {
  if (!all) return invocation.namespace();
  if (invocation.options.namespace === undefined) return undefined;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: 'A namespace and --all-namespaces exclude each other.',
    cause: 'Both were given.',
    next: 'Leave one of them out.',
  });
}

async function showLeftovers(invocation: Invocation, all: boolean): Promise<undefined> {
  const sessions = invocation.services.sessions(await invocation.kube());
  const list = await sessions.leftovers({ namespace: await scope(invocation, all), signal: invocation.stop });
  const items = list.items.filter((item) => item.state !== 'live');
  warnUnseen(invocation, list.unseen);
  const leftOut = leftOutNote(list.unreadable);
  if (leftOut !== undefined) invocation.warn(leftOut);
  if (invocation.json) {
    for (const item of items) invocation.printJson(describeLeftover(item));
    return;
  }
  if (items.length === 0) {
    const where = list.namespaces === 'all' ? 'the cluster' : `namespace ${list.namespaces.join(', ')}`;
    invocation.print(`Nothing is left over in ${where}.`);
    return;
  }
  invocation.print(
    formatTable(
      ['NAMESPACE', 'TARGET', 'USER', 'MACHINE', 'SINCE', 'WOULD RESTORE'],
      items.map((item) => [
        item.namespace,
        item.target,
        item.mine ? `${item.user} (you)` : item.user,
        item.machine,
        item.since,
        item.record === undefined ? 'unreadable: remove by hand' : item.wouldRestore.join('; '),
      ]),
    ),
  );
  invocation.progress('Restore yours with: slipway reset pods -n NAMESPACE');
}

function describeLeftover(item: Leftover): unknown {
  const { state, session, namespace, target, user, machine, since, silentMs, mine, wouldRestore } = item;
  return {
    state,
    session,
    namespace,
    target,
    user,
    machine,
    since,
    silentMs,
    mine,
    wouldRestore,
    readable: item.record !== undefined,
  };
}

async function resetPods(invocation: Invocation, flags: ResetFlags): Promise<number> {
  const sessions = invocation.services.sessions(await invocation.kubeToChange(flags.confirm));
  const report = await sessions.reset({
    namespace: await scope(invocation, flags.allNamespaces === true),
    force: flags.force === true,
    onProgress: (text) => invocation.progress(text),
    signal: invocation.stop,
  });
  warnUnseen(invocation, report.unseen);
  for (const item of report.restored) {
    if (invocation.json) invocation.printJson({ event: 'restored', ...item });
    else {
      invocation.print(`Restored ${item.namespace}/${item.target}.`);
      for (const sentence of item.done) invocation.print(`  ${sentence}`);
      for (const kept of item.kept) invocation.print(`  Kept: ${describeKept(kept)}`);
      for (const sentence of item.remains) invocation.print(`  Remains: ${sentence}`);
    }
  }
  for (const { leftover, reason } of report.skipped) {
    if (invocation.json)
      invocation.printJson({
        event: 'skipped',
        namespace: leftover.namespace,
        target: leftover.target,
        reason,
      });
    else invocation.print(`Left ${leftover.namespace}/${leftover.target} alone: ${reason}.`);
  }
  for (const { error } of report.failed) invocation.error(error);
  if (report.restored.length + report.skipped.length + report.failed.length === 0 && !invocation.json) {
    invocation.print('Nothing to restore.');
  }
  return report.failed.length > 0 || report.restored.some((item) => item.remains.length > 0) ? 1 : 0;
}

function warnUnseen(invocation: Invocation, unseen: LeftoverList['unseen']): void {
  for (const { namespace, reason } of unseen) invocation.warn(`Not looked into: ${namespace} (${reason})`);
}
