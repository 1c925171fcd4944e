import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import { planSync } from '../../../dev/plan-sync.ts';
import { runSync } from '../../../dev/run-sync.ts';
import { answerHeld } from '../answer-held.ts';
import { addConfirmFlag, type ConfirmFlag } from '../confirm-flag.ts';
import { openPods } from '../pod-flags.ts';
import type { Act } from '../run-cli.ts';
import { printPlan } from '../plan-printer.ts';
import { printSession } from '../session-printer.ts';
import { addSyncFlags, readSyncFlags, type SyncFlags } from '../sync-flags.ts';

interface Flags extends SyncFlags, ConfirmFlag {
  readonly labelSelector?: string;
  readonly pod?: string;
  readonly watch: boolean;
  readonly dryRun?: boolean;
}

export function addSyncCommand(program: Command, act: Act): void {
  const sync = addSyncFlags(
    program
      .command('sync')
      .description('keep a folder and a running container in step, both ways; replaces nothing'),
  )
    .option('-l, --label-selector <selector>', 'the pods to choose from, like app=web')
    .option('--pod <name>', 'one pod by its name')
    .option('--no-watch', 'end after the first sync')
    .option(
      '--dry-run',
      'say what would be copied, overwritten and deleted on each side, and change nothing',
    );
  act<Flags>(
    addConfirmFlag(sync.argument('[patterns...]', 'further patterns after --exclude')),
    async (invocation, patterns, flags) => {
      refuseLooseWords(patterns, flags);
      if (flags.labelSelector === undefined && flags.pod === undefined) {
        throw new SlipwayError({
          code: 'usage.invalid',
          message: 'No pod was chosen.',
          cause: 'Neither --label-selector nor --pod was given.',
          next: 'Add --label-selector app=NAME, or --pod NAME.',
        });
      }
      const kube = await invocation.kubeToChange(flags.confirm);
      const namespace = await invocation.namespace();
      const { labelSelector, pod, container } = flags;
      const { workingFolder } = invocation.environment;
      const exclude = [...(flags.exclude ?? []), ...patterns];
      const wish = await readSyncFlags({ ...flags, exclude }, workingFolder, { noWatch: !flags.watch });
      const emit = printSession(invocation);
      for (const message of wish.notices) emit({ event: 'notice', message });
      const rig = await invocation.services.syncRig({
        ...wish,
        kube,
        workingFolder,
        target: { namespace, name: pod ?? labelSelector ?? '', container },
      });
      const openSource = () => openPods(invocation, { namespace, labelSelector, pod, container });
      if (flags.dryRun === true) {
        await planSync({
          openSource,
          pairs: rig.pairs,
          dryRun: (pair, source, stop) => rig.dryRun(pair, source, stop),
          emit: printPlan(invocation),
          cleanUp: (source) => rig.cleanUp(source),
          stop: invocation.stop,
        });
        return undefined;
      }
      await runSync({
        openSource,
        factories: rig.factories,
        pairs: rig.pairs,
        emit,
        onHeld: answerHeld(invocation, flags.yes === true),
        cleanUp: (source) => rig.cleanUp(source),
        once: wish.pairs.every(({ noWatch }) => noWatch),
        stop: invocation.stop,
      });
      return undefined;
    },
  );
}

/** `-e a b` means both patterns; words without any `-e` are a mistake. */
function refuseLooseWords(words: readonly string[], flags: Flags): void {
  if (words.length === 0 || flags.exclude !== undefined) return;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `"${words[0] ?? ''}" has no meaning here.`,
    cause: 'sync takes no words of its own; further words belong to --exclude.',
    next: 'Choose pods with --label-selector or --pod, and the folder with --path.',
  });
}
