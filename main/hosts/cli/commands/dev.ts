import { basename } from 'node:path';
import type { Command } from 'commander';
import { isSlipwayError, SlipwayError } from '../../../base/errors.ts';
import { RestoredInstead, runDev } from '../../../dev/run-dev.ts';
import { assertRights } from '../../../session/plan.ts';
import type { Leftover } from '../../../session/session.ts';
import { answerHeld } from '../answer-held.ts';
import { ask, canAsk } from '../ask.ts';
import type { Invocation } from '../command.ts';
import { addConfirmFlag, type ConfirmFlag } from '../confirm-flag.ts';
import { containerCommand, parseEnvironmentVariable } from '../container-command.ts';
import { parsePortMapping } from '../port-mapping.ts';
import type { Act } from '../run-cli.ts';
import { printSession } from '../session-printer.ts';
import { addSyncFlags, collect, readSyncFlags, type SyncFlags } from '../sync-flags.ts';
import { parseWorkloadReference } from '../workload-reference.ts';

interface Flags extends SyncFlags, ConfirmFlag {
  readonly port?: readonly string[];
  readonly image?: string;
  readonly command?: string;
  readonly arg?: readonly string[];
  readonly env?: readonly string[];
  readonly workdir?: string;
  readonly keep?: boolean;
  readonly existing?: string;
  readonly waitInitialSync: boolean;
  readonly startAfterSync?: boolean;
}

export function addDevCommand(program: Command, act: Act): void {
  const dev = addSyncFlags(
    program
      .command('dev')
      .description('replace a workload by a dev pod, sync and forward until Ctrl-C, then put everything back')
      .argument('<workload>', 'like deploy/web')
      .argument('[words...]', 'further words of --command'),
  )
    .option(
      '--port <local:remote>',
      'forward a port of the container to this machine, like 8080:80 or 8080; may be repeated',
      collect,
    )
    .option('--image <image>', 'image of the dev container')
    .option(
      '--command <line>',
      'what the dev container runs: a program, a line for its shell, or a JSON array',
    )
    .option('--arg <word>', 'an argument of the dev container; may be repeated', collect)
    .option('--env <name=value>', 'a variable of the dev container; may be repeated', collect)
    .option('--workdir <path>', 'working folder of the dev container')
    .option('--no-wait-initial-sync', 'be ready before the first sync is done')
    .option('--start-after-sync', "begin the container's program only after the first sync")
    .option('--keep', 'leave the dev pod at the end')
    .option('--existing <choice>', 'what to do with your own earlier session: continue or restore');
  act<Flags>(addConfirmFlag(dev), async (invocation, [workload = '', ...words], flags) => {
    for (;;) {
      try {
        await develop(invocation, workload, containerCommand(flags.command, words), flags);
        return undefined;
      } catch (error) {
        if (!(error instanceof RestoredInstead)) throw error;
      }
    }
  });
}

async function develop(
  invocation: Invocation,
  workload: string,
  command: readonly string[] | undefined,
  flags: Flags,
): Promise<void> {
  const target = parseWorkloadReference(workload);
  const ports = (flags.port ?? []).map(parsePortMapping);
  const changes = {
    image: flags.image,
    command,
    args: flags.arg,
    env: flags.env?.map(parseEnvironmentVariable),
    workingDir: flags.workdir,
  };
  const { services, stop } = invocation;
  const { workingFolder } = invocation.environment;
  const wish = await readSyncFlags(flags, workingFolder, { waitInitialSync: flags.waitInitialSync });
  const kube = await invocation.kubeToChange(flags.confirm);
  const namespace = await invocation.namespace();
  const emit = printSession(invocation);
  const rig = await services.syncRig({
    ...wish,
    startContainer: wish.startContainer || flags.startAfterSync === true,
    kube,
    workingFolder,
    target: { namespace, name: `${target.kind}/${target.name}`, container: flags.container },
  });
  for (const message of wish.notices) emit({ event: 'notice', message });
  emit({ event: 'phase', phase: 'plan', message: `planning a session on ${namespace}/${target.name}` });
  const sessions = services.sessions(kube);
  const asking = services.missingRights(kube, {
    namespace,
    name: target.name,
    channels: ports.length > 0 ? ['replace', 'sync', 'forward'] : ['replace', 'sync'],
    signal: stop,
  });
  const request = {
    namespace,
    target,
    container: flags.container,
    project: basename(rig.pairs[0]?.local ?? ''),
    changes: rig.wrapper === undefined ? changes : { ...changes, wrapper: rig.wrapper },
  };
  const [planned, asked] = await Promise.allSettled([sessions.plan(request, { signal: stop }), asking]);
  // A plan that may not be read says less than the list of rights that are missing for it.
  if (planned.status === 'rejected' && !isSlipwayError(planned.reason, 'cluster.forbidden'))
    throw planned.reason;
  if (asked.status === 'rejected') throw asked.reason;
  assertRights(`${namespace}/${target.name}`, asked.value);
  if (planned.status === 'rejected') throw planned.reason;
  const plan = planned.value;
  for (const message of [...plan.warnings, ...plan.unknown]) emit({ event: 'notice', message });
  await runDev({
    sessions,
    plan,
    missingRights: asked.value,
    factories: rig.factories,
    pairs: rig.pairs,
    ports,
    keep: flags.keep === true,
    emit,
    onHeld: answerHeld(invocation, flags.yes === true),
    onOwnDead: (leftover) => chooseForOwnDead(invocation, leftover, flags.existing),
    cleanUp: (source) => rig.cleanUp(source),
    clock: services.clock,
    stop,
  });
}

async function chooseForOwnDead(
  invocation: Invocation,
  leftover: Leftover,
  existing: string | undefined,
): Promise<'continue' | 'restore'> {
  if (existing === 'continue' || existing === 'restore') return existing;
  const message = `Your session on ${leftover.namespace}/${leftover.target} from ${leftover.since} was not ended.`;
  if (existing === undefined && !invocation.json && canAsk(invocation.environment)) {
    invocation.warn(message);
    return ask(
      invocation.environment,
      'Continue it, or restore the workload and start anew?',
      ['continue', 'restore'],
      invocation.stop,
    );
  }
  throw new SlipwayError({
    code: 'session.leftover',
    message,
    cause:
      existing === undefined
        ? 'It was started on this workload and its process is gone.'
        : `"${existing}" is neither continue nor restore.`,
    next: `Add --existing continue or --existing restore, or run: slipway reset pods -n ${leftover.namespace}`,
  });
}
