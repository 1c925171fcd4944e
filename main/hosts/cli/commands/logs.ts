import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import type { PodSource } from '../../../dev/pod-source.ts';
import type { Kube } from '../../../kube/kube.ts';
import type { Invocation } from '../command.ts';
import type { Act } from '../run-cli.ts';
import { addPodFlags, openPods, podSelector, type PodFlags } from '../pod-flags.ts';

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
    const lines = parseLineCount(flags.lines);
    const kube = await invocation.kube();
    const selector = await podSelector(invocation, workload, flags);
    await using source = await openPods(invocation, selector);
    if (flags.follow === true) {
      await follow(invocation, kube, source, lines, flags.timestamps === true);
      return undefined;
    }
    const stream = await kube.logs(await source.current(invocation.stop), {
      previous: flags.previous === true,
      timestamps: flags.timestamps === true,
      tailLines: lines,
      signal: invocation.stop,
    });
    stream.setEncoding('utf8');
    for await (const text of stream) await invocation.write(text as string);
    return undefined;
  });
}

function parseLineCount(text: string | undefined): number {
  const lines = Number(text ?? defaultLines);
  if (Number.isInteger(lines) && lines >= 0) return lines;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `"${text ?? ''}" is not a number of lines.`,
    cause: 'It has to be 0 or more.',
    next: 'Write it like --lines 100.',
  });
}

/** Across restarts and replaced pods until Ctrl-C, which is its ordinary end. */
async function follow(
  invocation: Invocation,
  kube: Kube,
  source: PodSource,
  tailLines: number,
  timestamps: boolean,
): Promise<void> {
  const resolve = async (signal?: AbortSignal) => {
    const container = await source.current(signal);
    return { ...container, run: container.containerId };
  };
  try {
    for await (const item of invocation.services.followLogs({
      kube,
      resolve,
      tailLines,
      signal: invocation.stop,
    })) {
      if (item.kind === 'line')
        await invocation.write(`${timestamps ? `${item.timestamp} ` : ''}${item.text}\n`);
      else if (item.kind === 'run') invocation.progress(`… ${item.run.pod} (${item.run.container})`);
      else invocation.warn(`Interrupted: ${item.error.message} ${item.error.causeText}`);
    }
  } catch (error) {
    if (!invocation.stop.aborted) throw error;
  }
}
