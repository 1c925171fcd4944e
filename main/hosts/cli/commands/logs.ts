import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import { openSelectorPodSource } from '../../../dev/selector-pod-source.ts';
import type { Act } from '../run-cli.ts';
import { addPodFlags, podSelector, type PodFlags } from '../pod-flags.ts';

interface Flags extends PodFlags {
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly lines?: string;
  readonly timestamps?: boolean;
}

/** As DevSpace: enough to see what happened lately. */
const defaultLines = 200;

export function addLogsCommand(program: Command, act: Act): void {
  const logs = addPodFlags(
    program
      .command('logs')
      .description('print what a container wrote')
      .argument('[workload]', 'like deploy/web'),
  )
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('--previous', 'of the run before the last restart')
    .option('--lines <number>', 'how many of the last lines', String(defaultLines))
    .option('--timestamps', 'each line with its time');
  act<Flags>(logs, async (invocation, [workload], flags) => {
    const lines = Number(flags.lines ?? defaultLines);
    if (!Number.isInteger(lines) || lines < 0) {
      throw new SlipwayError({
        code: 'usage.invalid',
        message: `"${flags.lines ?? ''}" is not a number of lines.`,
        cause: 'It has to be 0 or more.',
        next: 'Write it like --lines 100.',
      });
    }
    const kube = await invocation.kube();
    const selector = await podSelector(invocation, workload, flags);
    await using source = await openSelectorPodSource({
      kube,
      clock: invocation.services.clock,
      selector,
      signal: invocation.stop,
    });
    const container = await source.current(invocation.stop);
    const stream = await kube.logs(container, {
      follow: flags.follow === true,
      previous: flags.previous === true,
      timestamps: flags.timestamps === true,
      tailLines: lines,
      signal: invocation.stop,
    });
    await pipeline(stream, process.stdout, { end: false });
    return undefined;
  });
}
