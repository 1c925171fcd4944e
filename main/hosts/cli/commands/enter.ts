import type { Command } from 'commander';
import type { TerminalSize } from '../../../channels/terminal.ts';
import { Emitter } from '../../../base/event.ts';
import { SlipwayError } from '../../../base/errors.ts';
import { addConfirmFlag, type ConfirmFlag } from '../confirm-flag.ts';
import { addPodFlags, openPods, podSelector, type PodFlags } from '../pod-flags.ts';
import type { Act } from '../run-cli.ts';

export function addEnterCommand(program: Command, act: Act): void {
  const command = addPodFlags(
    program
      .command('enter')
      .description('open a shell in a container, or run a command there; its exit code is handed through')
      .argument('[workload]', 'like deploy/web')
      .argument('[command...]', 'after --, what to run instead of a shell'),
  );
  act<PodFlags & ConfirmFlag>(addConfirmFlag(command), async (invocation, args, flags) => {
    const { workload, words } = splitArguments(args, flags);
    const kube = await invocation.kubeToChange(flags.confirm);
    const selector = await podSelector(invocation, workload, flags);
    await using source = await openPods(invocation, selector);
    const target = await source.current(invocation.stop);
    const { input } = invocation.environment;
    const interactive = input.isTTY && process.stdout.isTTY;
    using terminal = interactive ? localTerminal(input) : undefined;
    const status = await invocation.services.enter({
      kube,
      target,
      stdin: input,
      stdinEnds: !input.isTTY,
      stdout: process.stdout,
      stderr: process.stderr,
      command: words.length > 0 ? words : undefined,
      terminal,
      signal: invocation.stop,
    });
    if (status.kind === 'exited') return status.code;
    if (status.kind === 'lost') throw status.error;
    throw new SlipwayError({
      code: 'stream.refused',
      message: 'The command could not be run.',
      cause: status.message,
      next: 'Check that the program exists in the container.',
    });
  });
}

/** With a selector or a pod's name every word belongs to the command. */
function splitArguments(
  args: readonly string[],
  flags: PodFlags,
): { readonly workload: string | undefined; readonly words: readonly string[] } {
  if (flags.pod !== undefined || flags.labelSelector !== undefined)
    return { workload: undefined, words: args };
  return { workload: args[0], words: args.slice(1) };
}

/** The user's terminal in raw mode until disposed: keys, also Ctrl-C, go to the container. */
function localTerminal(input: NodeJS.ReadStream) {
  const resized = new Emitter<TerminalSize>();
  const size = (): TerminalSize => ({ columns: process.stdout.columns, rows: process.stdout.rows });
  const listener = (): void => resized.fire(size());
  process.stdout.on('resize', listener);
  input.setRawMode(true);
  return {
    type: process.env['TERM'] ?? '',
    size: size(),
    onResize: resized.event,
    [Symbol.dispose]() {
      process.stdout.off('resize', listener);
      input.setRawMode(false);
      resized[Symbol.dispose]();
    },
  };
}
