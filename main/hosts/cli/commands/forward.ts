import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import { runForward } from '../../../dev/run-forward.ts';
import { addConfirmFlag, type ConfirmFlag } from '../confirm-flag.ts';
import { addPodFlags, openPods, podSelector, type PodFlags } from '../pod-flags.ts';
import { parsePortMapping } from '../port-mapping.ts';
import type { Act } from '../run-cli.ts';
import { printSession } from '../session-printer.ts';

export function addForwardCommand(program: Command, act: Act): void {
  const command = addPodFlags(
    program
      .command('forward')
      .description('forward ports of a workload to this machine, until Ctrl-C; replaces nothing')
      .argument('[workload]', 'like deploy/web')
      .argument('[ports...]', 'local:remote like 8080:80, or 8080'),
  );
  act<PodFlags & ConfirmFlag>(addConfirmFlag(command), async (invocation, args, flags) => {
    const chosen = flags.pod !== undefined || flags.labelSelector !== undefined;
    const ports = requirePorts(chosen ? args : args.slice(1));
    const kube = await invocation.kubeToChange(flags.confirm);
    await runForward({
      openSource: async () =>
        openPods(invocation, {
          ...(await podSelector(invocation, chosen ? undefined : args[0], flags)),
          anyContainer: true,
        }),
      openForward: invocation.services.forwards(kube),
      ports,
      emit: printSession(invocation),
      stop: invocation.stop,
    });
    return undefined;
  });
}

function requirePorts(words: readonly string[]): ReturnType<typeof parsePortMapping>[] {
  if (words.length > 0) return words.map(parsePortMapping);
  throw new SlipwayError({
    code: 'usage.invalid',
    message: 'No port to forward was given.',
    cause: 'A workload and at least one port are needed.',
    next: 'Write it like: slipway forward deploy/web 8080:80',
  });
}
