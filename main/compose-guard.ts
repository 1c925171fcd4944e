import type { Guard } from '../contract/settings.ts';
import { SlipwayError } from './base/errors.ts';
import { shellWord } from './base/shell-word.ts';
import type { StateFiles } from './base/state-files.ts';
import { clusterIdOf } from './clusters/cluster-id.ts';
import type { GuardedContext } from './kube/guard-decision.ts';
import type { Kubeconfig } from './kube/kubeconfig.ts';
import { readSettings } from './settings/settings-store.ts';

/** The guard of one context as the user chose it in the app. */
export interface ChosenGuard extends GuardedContext {
  readonly guard: Guard;
  /** Set when the settings are damaged and the guard may be lost: then nothing may be changed. */
  readonly unknown?: SlipwayError | undefined;
}

/** Reads the guard of a context of this kubeconfig from the app's settings. */
export async function readGuard(options: {
  readonly home: string;
  readonly files: StateFiles;
  readonly config: Kubeconfig;
  readonly context: string;
}): Promise<ChosenGuard> {
  const { config, context } = options;
  const { value, damage, guardsKnown } = await readSettings(options);
  const file = config.contexts.get(context)?.file ?? '';
  const chosen = value.clusters[clusterIdOf(file, context)]?.guard;
  if (chosen === undefined && !guardsKnown) {
    return { guard: 'read-only', context, next: mend, unknown: guardUnknown(context, damage) };
  }
  const guard = chosen ?? 'none';
  return { guard, context, next: guard === 'confirm' ? confirmHint(context) : change };
}

const change = 'Change the guard in the settings of the app, under Clusters, if that is meant.';
const mend =
  'Start the app, which sets the damaged file aside, and choose your guards again; or mend the file.';

function confirmHint(context: string): string {
  return `Add --confirm ${shellWord(context)}, or change the guard in the settings of the app.`;
}

function guardUnknown(context: string, damage: readonly string[]): SlipwayError {
  return new SlipwayError({
    code: 'settings.invalid',
    message: `Nothing is changed in ${context}: the settings are damaged, and so its guard is not known.`,
    cause: `In settings.json, ${damage.slice(0, 5).join('; ')}.`,
    next: mend,
  });
}
