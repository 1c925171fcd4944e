import type { Command } from 'commander';
import { SlipwayError } from '../../base/errors.ts';
import { defaultStrategy, strategies, type Strategy } from '../../sync/strategy.ts';

/** The flags that `dev` and `sync` share. */
export interface SyncFlags {
  readonly path?: readonly string[];
  readonly container?: string;
  readonly exclude?: readonly string[];
  readonly uploadExclude?: readonly string[];
  readonly downloadExclude?: readonly string[];
  readonly initialSync: string;
  readonly brake: boolean;
  readonly polling?: boolean;
  readonly createPath?: boolean;
  readonly yes?: boolean;
}

/** For a flag that may be repeated; one value each, so that it never swallows the word behind it. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

export function addSyncFlags(command: Command): Command {
  return command
    .option(
      '--path <local:remote>',
      'folder or file here and its place in the container; may be repeated',
      collect,
    )
    .option('-c, --container <name>', 'container, when the pod has several')
    .option(
      '-e, --exclude <pattern>',
      'never sync this, in the syntax of .gitignore; may be repeated',
      collect,
    )
    .option('--upload-exclude <pattern>', 'never change this in the container; may be repeated', collect)
    .option('--download-exclude <pattern>', 'never change this here; may be repeated', collect)
    .option(
      '--initial-sync <strategy>',
      `who decides the first time: ${strategies.join(', ')}`,
      defaultStrategy,
    )
    .option('--no-brake', 'do not hold mass deletions for confirmation')
    .option('--polling', 'look for changes in the container by polling, for file systems without events')
    .option('--create-path', 'make the folder in the container when it is missing')
    .option(
      '--yes',
      'apply what would be held for confirmation, but for files that this machine would execute',
    );
}

/** What these flags say about a sync, wherever it runs. */
export function readSyncFlags(flags: SyncFlags) {
  return {
    paths: requirePaths(flags),
    strategy: parseStrategy(flags.initialSync),
    exclude: flags.exclude ?? [],
    uploadExclude: flags.uploadExclude ?? [],
    downloadExclude: flags.downloadExclude ?? [],
    brake: flags.brake,
    polling: flags.polling === true,
    createPath: flags.createPath === true,
  };
}

function parseStrategy(text: string): Strategy {
  const strategy = strategies.find((name) => name === text);
  if (strategy !== undefined) return strategy;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `There is no initial sync "${text}".`,
    cause: `The strategies are ${strategies.join(', ')}.`,
    next: 'Choose one of them; preferLocal is the default and loses nothing.',
  });
}

/** At least one `--path`. */
function requirePaths(flags: SyncFlags): readonly string[] {
  if (flags.path !== undefined && flags.path.length > 0) return flags.path;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: 'No folder to sync was given.',
    cause: '--path is missing.',
    next: 'Add --path LOCAL:REMOTE, for example --path ./src:/app.',
  });
}
