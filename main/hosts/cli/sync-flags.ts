import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { SlipwayError } from '../../base/errors.ts';
import {
  compareNotices,
  nothingLeft,
  parseJson,
  readDevspacePair,
  readUploadCommand,
} from '../../sync/devspace-sync.ts';
import { defaultPairSettings, type PairRequest, type PairSettings } from '../../sync/pair-settings.ts';
import { defaultStrategy, strategies } from '../../sync/strategy.ts';

/** The flags that `dev` and `sync` share. */
export interface SyncFlags {
  readonly path?: readonly string[];
  readonly container?: string;
  readonly exclude?: readonly string[];
  readonly excludeFile?: readonly string[];
  readonly uploadExclude?: readonly string[];
  readonly downloadExclude?: readonly string[];
  readonly uploadOnly?: boolean;
  readonly downloadOnly?: boolean;
  readonly initialSync?: string;
  readonly downloadOnInitialSync?: string | boolean;
  readonly initialSyncCompareBy?: string;
  readonly brake: boolean;
  readonly polling?: boolean;
  readonly pollLocal?: boolean;
  readonly writeMode: string;
  readonly keepModes?: boolean;
  readonly uploadLimit?: string;
  readonly downloadLimit?: string;
  readonly followLinks?: readonly string[];
  readonly onUpload?: readonly string[];
  readonly restartOnUpload?: boolean;
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
      'folder or file here and its place in the container, or a pair as JSON with the fields of dev.*.sync; may be repeated',
      collect,
    )
    .option('-c, --container <name>', 'container, when the pod has several')
    .option(
      '-e, --exclude <pattern>',
      'never sync this, in the syntax of .gitignore; may be repeated',
      collect,
    )
    .option('--exclude-file <file>', 'the same for each line of a file; may be repeated', collect)
    .option('--upload-exclude <pattern>', 'never change this in the container; may be repeated', collect)
    .option('--download-exclude <pattern>', 'never change this here; may be repeated', collect)
    .option('--upload-only', 'never change anything here')
    .option('--download-only', 'never change anything in the container')
    .option(
      '--initial-sync <strategy>',
      `who decides the first time: ${strategies.join(', ')} (default: ${defaultStrategy})`,
    )
    .addOption(new Option('--download-on-initial-sync [wanted]', 'as in DevSpace').hideHelp())
    .option('--initial-sync-compare-by <what>', 'mtime or size are taken, but content decides')
    .option('--no-brake', 'do not hold mass deletions for confirmation')
    .option('--polling', 'look for changes in the container by polling, for file systems without events')
    .option('--poll-local', 'look for changes here by polling, for network folders')
    .option(
      '--write-mode <mode>',
      'auto replaces files by renaming; inPlace writes into the file that is there',
      'auto',
    )
    .option('--keep-modes', 'permissions do not travel: each side keeps its own')
    .option('--upload-limit <rate>', 'KiB a second, or with a unit: 500KiB, 2MiB, 65536B')
    .option('--download-limit <rate>', 'the same for what comes here')
    .option(
      '--follow-links <pattern>',
      'upload what links of these names that point outside lead to; may be repeated',
      collect,
    )
    .option(
      '--on-upload <command>',
      "run this in the container after uploads: a line for its shell, or JSON with the fields of DevSpace's onUpload.exec; may be repeated",
      collect,
    )
    .option('--restart-on-upload', "restart the container's program after uploads")
    .option('--create-path', 'make the folder in the container when it is missing')
    .option(
      '--yes',
      'apply what would be held for confirmation, but for files that this machine would execute',
    );
}

/** What these flags say about a sync, wherever it runs. */
export interface SyncWish {
  readonly pairs: readonly PairRequest[];
  readonly createPath: boolean;
  readonly startContainer: boolean;
  readonly notices: readonly string[];
}

export async function readSyncFlags(
  flags: SyncFlags,
  workingFolder: string,
  more: Partial<PairSettings> = {},
): Promise<SyncWish> {
  const settings = { ...(await settingsOf(flags, workingFolder)), ...more };
  const pairs: PairRequest[] = [];
  const notices: string[] = [...compareBy(flags.initialSyncCompareBy)];
  let startContainer = false;
  for (const text of requirePaths(flags)) {
    if (!text.trimStart().startsWith('{')) pairs.push({ ...settings, path: text });
    else {
      const read = await readDevspacePair(parseJson(text), settings, (local, file) =>
        readLines(resolve(workingFolder, local, file)),
      );
      pairs.push(read.request);
      notices.push(...read.notices);
      startContainer ||= read.startContainer;
    }
  }
  return { pairs, createPath: flags.createPath === true, startContainer, notices: [...new Set(notices)] };
}

async function settingsOf(flags: SyncFlags, workingFolder: string): Promise<PairSettings> {
  const { writeMode } = flags;
  if (flags.uploadOnly === true && flags.downloadOnly === true)
    throw nothingLeft('--upload-only and --download-only');
  if (writeMode !== 'auto' && writeMode !== 'inPlace')
    throw unknownChoice('--write-mode', writeMode, ['auto', 'inPlace']);
  const files = await Promise.all(
    (flags.excludeFile ?? []).map((file) => readLines(resolve(workingFolder, file))),
  );
  return {
    ...defaultPairSettings,
    strategy: parseStrategy(
      // DevSpace's flag of before strategies: without downloads the laptop decides everything.
      flags.initialSync ?? (flags.downloadOnInitialSync === 'false' ? 'mirrorLocal' : defaultStrategy),
    ),
    direction: flags.uploadOnly === true ? 'up' : flags.downloadOnly === true ? 'down' : 'both',
    exclude: [...(flags.exclude ?? []), ...files.flat()],
    uploadExclude: flags.uploadExclude ?? [],
    downloadExclude: flags.downloadExclude ?? [],
    brake: flags.brake,
    polling: { container: flags.polling === true, laptop: flags.pollLocal === true },
    writeMode,
    modes: flags.keepModes === true ? 'keep' : 'travel',
    limits: {
      upBytesPerSecond: parseRate('--upload-limit', flags.uploadLimit),
      downBytesPerSecond: parseRate('--download-limit', flags.downloadLimit),
    },
    followLinks: flags.followLinks ?? [],
    onUpload: {
      exec: (flags.onUpload ?? []).map(readUploadCommand),
      restartContainer: flags.restartOnUpload === true,
    },
  };
}

const unitBytes: Readonly<Record<string, number>> = { b: 1, '': 1024, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes a second; a bare number is KiB, as in DevSpace. */
export function parseRate(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount = '', unit = ''] =
    /^(\d+(?:\.\d+)?)\s*(b|k|m|g)?(?:i?b)?(?:\/s)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.round(Number(amount) * (unitBytes[unit.toLowerCase()] ?? 0));
  if (amount !== '' && bytes > 0) return bytes;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `${flag} ${JSON.stringify(text)} is no rate.`,
    cause: 'It is KiB a second as a number above zero, or an amount with the unit B, KiB, MiB or GiB.',
    next: `Write it like ${flag} 500 or ${flag} 2MiB.`,
  });
}

function compareBy(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  if (text === 'mtime' || text === 'size' || text === 'digest') return compareNotices(text);
  throw unknownChoice('--initial-sync-compare-by', text, ['mtime', 'size', 'digest']);
}

function parseStrategy(text: string): PairSettings['strategy'] {
  const strategy = strategies.find((name) => name === text);
  if (strategy !== undefined) return strategy;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `There is no initial sync "${text}".`,
    cause: `The strategies are ${strategies.join(', ')}.`,
    next: 'Choose one of them; preferLocal is the default and loses nothing.',
  });
}

function unknownChoice(flag: string, text: string, choices: readonly string[]): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: `${flag} does not know "${text}".`,
    cause: `It takes ${choices.join(', ')}.`,
    next: 'Choose one of them.',
  });
}

/** Lines of a file of patterns, without the marks that some editors put at its beginning. */
async function readLines(path: string): Promise<readonly string[]> {
  try {
    const text = await readFile(path, 'utf8');
    return text.replace(/^\uFEFF/, '').split(/\r?\n/);
  } catch (error) {
    throw new SlipwayError({
      code: 'usage.invalid',
      message: `The file of patterns ${path} cannot be read.`,
      next: 'Correct its name, or leave the flag out.',
      origin: error,
    });
  }
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
