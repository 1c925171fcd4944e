import type { Command } from 'commander';
import { isSlipwayError, SlipwayError } from '../../../base/errors.ts';
import { missingRole } from '../../../kube/access/missing-role.ts';
import { describeRight, type ChannelRights } from '../../../kube/access/preflight.ts';
import { channels, reachingChannels, targetKinds } from '../../../kube/access/rights.ts';
import type { Identity, Kube } from '../../../kube/kube.ts';
import type { Invocation } from '../command.ts';
import { formatTable } from '../output.ts';
import type { Act } from '../run-cli.ts';
import { parseWorkloadReference } from '../workload-reference.ts';

export function addPreflightCommand(program: Command, act: Act): void {
  act(
    program
      .command('preflight')
      .description(
        'which rights each channel needs, which are missing, and the Role that would give them; changes nothing',
      )
      .argument('<workload>', 'like deploy/web'),
    (invocation, [workload = '']) => showPreflight(invocation, workload),
  );
}

async function showPreflight(invocation: Invocation, workload: string): Promise<number> {
  const { kind, name } = parseWorkloadReference(workload);
  const target = targetKinds.find((known) => known === kind);
  if (target === undefined) throw unsupported(kind);
  const kube = await invocation.kube();
  const namespace = await invocation.namespace();
  const matrix = await invocation.services.preflight(kube, {
    namespace,
    kind: target,
    name,
    channels: target === 'Deployment' ? channels : reachingChannels,
    signal: invocation.stop,
  });
  const role = missingRole(matrix, namespace, { identity: await identityOf(kube, invocation.stop) });
  if (invocation.json) {
    for (const channel of matrix)
      invocation.printJson({ namespace, ...channel, missing: missingOf(channel) });
  } else {
    invocation.print(
      formatTable(
        ['CHANNEL', 'VERDICT', 'RIGHT', 'ANSWER'],
        matrix.flatMap(({ channel, verdict, rights }) =>
          rights.map((right, index) => [
            index === 0 ? channel : '',
            index === 0 ? verdict : '',
            describeRight(right) + (right.optional ? ' (optional)' : ''),
            right.answer.kind === 'allowed' ? 'allowed' : `${right.answer.kind}: ${right.answer.reason}`,
          ]),
        ),
      ),
    );
    if (role !== undefined)
      invocation.print(`\nWhoever administers ${namespace} can grant what is missing with:\n\n${role}`);
  }
  return matrix.some((channel) => channel.verdict === 'missing') ? 1 : 0;
}

/** Undefined where the server does not tell: the role is then shown with a blank to fill in. */
async function identityOf(kube: Kube, signal: AbortSignal): Promise<Identity | undefined> {
  try {
    return await kube.whoAmI({ signal });
  } catch (error) {
    if (isSlipwayError(error)) return undefined;
    throw error;
  }
}

function unsupported(kind: string): SlipwayError {
  return new SlipwayError({
    code: 'workload.unsupported',
    message: `The pods of a ${kind} cannot be reached.`,
    cause: `It has none of its own; possible are ${targetKinds.join(', ')}.`,
    next: 'Name one of these kinds.',
  });
}

function missingOf({ rights }: ChannelRights): readonly string[] {
  return rights.filter((right) => !right.optional && right.answer.kind === 'denied').map(describeRight);
}
