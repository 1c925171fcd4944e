import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import { planSync } from '../../../dev/plan-sync.ts';
import { runSync } from '../../../dev/run-sync.ts';
import { answerHeld } from '../answer-held.ts';
import { addConfirmFlag, type ConfirmFlag } from '../confirm-flag.ts';
import { openPods, pickPod } from '../pod-flags.ts';
import type { Act } from '../run-cli.ts';
import { printPlan } from '../plan-printer.ts';
import { printSession } from '../session-printer.ts';
import { addSyncFlags, readSyncFlags, type SyncFlags } from '../sync-flags.ts';

interface Flags extends SyncFlags, ConfirmFlag {
  readonly labelSelector?: string;
  readonly imageSelector?: string;
  readonly pod?: string;
  readonly pick?: boolean;
  readonly wait?: boolean;
  readonly watch: boolean;
  readonly dryRun?: boolean;
}

/** The longest that a timer takes, and what one list of pods needs. */
const longestWaitMs = 2 ** 31 - 1;
const shortestWaitMs = 1_000;

export function addSyncCommand(program: Command, act: Act): void {
  const sync = addSyncFlags(
    program
      .command('sync')
      .description('keep a folder and a running container in step, both ways; replaces nothing'),
  )
    .option('-l, --label-selector <selector>', 'the pods to choose from, like app=web')
    .option('--image-selector <image>', 'pods that run this image, like registry/web or registry/web:1')
    .option('--pod <name>', 'one pod by its name')
    .option('--pick', 'choose a pod from a list')
    .option('--wait', 'wait for a pod as long as it takes')
    .option('--no-wait', 'fail at once where none runs')
    .option('--no-watch', 'end after the first sync')
    .option(
      '--dry-run',
      'say what would be copied, overwritten and deleted on each side, and change nothing',
    );
  act<Flags>(
    addConfirmFlag(sync.argument('[patterns...]', 'further patterns after --exclude')),
    async (invocation, patterns, flags) => {
      refuseLooseWords(patterns, flags);
      const { labelSelector, imageSelector, container } = flags;
      const chosen = labelSelector ?? imageSelector ?? flags.pod;
      if (chosen === undefined && flags.pick !== true) {
        throw new SlipwayError({
          code: 'usage.invalid',
          message: 'No pod was chosen.',
          cause: 'None of --label-selector, --image-selector, --pod and --pick was given.',
          next: 'Add --label-selector app=NAME, --pod NAME, or --pick to choose from a list.',
        });
      }
      const kube = await invocation.kubeToChange(flags.confirm);
      const namespace = await invocation.namespace();
      const pod = flags.pick === true ? await pickPod(invocation, namespace, labelSelector) : flags.pod;
      const { workingFolder } = invocation.environment;
      const exclude = [...(flags.exclude ?? []), ...patterns];
      const wish = await readSyncFlags({ ...flags, exclude }, workingFolder, { noWatch: !flags.watch });
      const emit = printSession(invocation);
      for (const message of wish.notices) emit({ event: 'notice', message });
      const rig = await invocation.services.syncRig({
        ...wish,
        kube,
        workingFolder,
        target: { namespace, name: pod ?? chosen ?? '', container },
      });
      const openSource = () =>
        openPods(
          invocation,
          { namespace, labelSelector, image: imageSelector, pod, container },
          flags.wait === undefined ? undefined : flags.wait ? longestWaitMs : shortestWaitMs,
        );
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
