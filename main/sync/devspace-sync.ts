import { z } from 'zod';
import { SlipwayError } from '../base/errors.ts';
import type { UploadCommand } from './on-upload.ts';
import type { PairRequest, PairSettings } from './pair-settings.ts';
import { strategies } from './strategy.ts';

const pattern = z.string().min(1);
const patterns = z.array(pattern);
const kibPerSecond = z.number().positive();

const exec = z.strictObject({
  name: z.string().min(1).optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  failOnError: z.boolean().optional(),
  local: z.boolean().optional(),
  once: z.boolean().optional(),
  onChange: patterns.optional(),
});

/** One entry of DevSpace's `dev.*.sync`, by its field names, and the few that are ours. */
const entry = z.strictObject({
  path: z.string().min(1).default('.:.'),
  excludePaths: patterns.optional(),
  excludeFile: z.string().min(1).optional(),
  downloadExcludePaths: patterns.optional(),
  downloadExcludeFile: z.string().min(1).optional(),
  uploadExcludePaths: patterns.optional(),
  uploadExcludeFile: z.string().min(1).optional(),
  startContainer: z.boolean().optional(),
  onUpload: z
    .strictObject({ restartContainer: z.boolean().optional(), exec: z.array(exec).optional() })
    .optional(),
  initialSync: z.enum(strategies).optional(),
  waitInitialSync: z.boolean().optional(),
  initialSyncCompareBy: z.enum(['mtime', 'size', 'digest']).optional(),
  disableDownload: z.boolean().optional(),
  disableUpload: z.boolean().optional(),
  bandwidthLimits: z
    .strictObject({ download: kibPerSecond.optional(), upload: kibPerSecond.optional() })
    .optional(),
  polling: z.boolean().optional(),
  noWatch: z.boolean().optional(),
  file: z.boolean().optional(),
  printLogs: z.boolean().optional(),
  writeMode: z.enum(['auto', 'inPlace']).optional(),
  modes: z.enum(['travel', 'keep']).optional(),
  followLinks: patterns.optional(),
});

/** Reads a file of patterns, named relative to the pair's folder of this machine; lines as they are. */
export type ReadPatterns = (localPath: string, file: string) => Promise<readonly string[]>;

export interface DevspacePair {
  readonly request: PairRequest;
  /** The container's program waits for the first sync. */
  readonly startContainer: boolean;
  /** What behaves otherwise than in DevSpace, a sentence each. */
  readonly notices: readonly string[];
}

/** Reads one entry of `dev.*.sync` as a pair; what it leaves open is as in `defaults`. */
export async function readDevspacePair(
  value: unknown,
  defaults: PairSettings,
  readPatterns: ReadPatterns,
): Promise<DevspacePair> {
  const parsed = entry.safeParse(value);
  if (!parsed.success) throw invalid(parsed.error);
  const { data } = parsed;
  if (data.disableDownload === true && data.disableUpload === true)
    throw nothingLeft('disableDownload and disableUpload');
  const local = data.path.split(':').slice(0, -1).join(':') || data.path;
  const lines = async (own: readonly string[] | undefined, file: string | undefined) => [
    ...(own ?? []),
    ...(file === undefined ? [] : await readPatterns(local, file)),
  ];
  const request: PairRequest = {
    ...defaults,
    path: data.path,
    exclude: [...defaults.exclude, ...(await lines(data.excludePaths, data.excludeFile))],
    uploadExclude: [
      ...defaults.uploadExclude,
      ...(await lines(data.uploadExcludePaths, data.uploadExcludeFile)),
    ],
    downloadExclude: [
      ...defaults.downloadExclude,
      ...(await lines(data.downloadExcludePaths, data.downloadExcludeFile)),
    ],
    strategy: data.initialSync ?? defaults.strategy,
    direction:
      data.disableDownload === true ? 'up' : data.disableUpload === true ? 'down' : defaults.direction,
    waitInitialSync: data.waitInitialSync ?? defaults.waitInitialSync,
    noWatch: data.noWatch ?? defaults.noWatch,
    polling: { ...defaults.polling, container: data.polling ?? defaults.polling.container },
    writeMode: data.writeMode ?? defaults.writeMode,
    modes: data.modes ?? defaults.modes,
    followLinks: [...defaults.followLinks, ...(data.followLinks ?? [])],
    limits: {
      upBytesPerSecond: kib(data.bandwidthLimits?.upload) ?? defaults.limits.upBytesPerSecond,
      downBytesPerSecond: kib(data.bandwidthLimits?.download) ?? defaults.limits.downBytesPerSecond,
    },
    onUpload: {
      exec: [...defaults.onUpload.exec, ...(data.onUpload?.exec ?? []).map(commandOf)],
      restartContainer: data.onUpload?.restartContainer ?? defaults.onUpload.restartContainer,
    },
  };
  return {
    request,
    startContainer: data.startContainer === true,
    notices: data.initialSyncCompareBy === undefined ? [] : compareNotices(data.initialSyncCompareBy),
  };
}

/** Equality is by content alone; the fields are taken so that a configuration need not change. */
export function compareNotices(by: 'mtime' | 'size' | 'digest'): readonly string[] {
  if (by === 'digest') return [];
  const what = by === 'mtime' ? 'size and time' : 'size';
  return [
    `Files are compared by their content, which tells more than ${what} (initialSyncCompareBy: ${by}).`,
  ];
}

export function nothingLeft(what: string): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: 'Nothing would be synced.',
    cause: `${what} together leave no direction.`,
    next: 'Leave one of them out.',
  });
}

function kib(amount: number | undefined): number | undefined {
  return amount === undefined ? undefined : Math.round(amount * 1024);
}

/** As DevSpace reads it: with arguments a program, without them a line for the shell of its side. */
function commandOf(value: z.infer<typeof exec>): UploadCommand {
  const { command, args } = value;
  return {
    name: value.name ?? [command, ...(args ?? [])].join(' '),
    command: args === undefined ? ['sh', '-c', command] : [command, ...args],
    local: value.local ?? false,
    once: value.once ?? false,
    failOnError: value.failOnError ?? false,
    onChange: value.onChange ?? [],
  };
}

/** A command of `--on-upload`: an entry of DevSpace's `onUpload.exec` as JSON, or a line for the container's shell. */
export function readUploadCommand(text: string): UploadCommand {
  if (!text.trimStart().startsWith('{')) return commandOf({ command: text });
  const parsed = exec.safeParse(parseJson(text));
  if (!parsed.success) throw invalid(parsed.error);
  return commandOf(parsed.data);
}

/** JSON of a flag. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SlipwayError({
      code: 'usage.invalid',
      message: 'A flag that begins like JSON is none.',
      next: `Write it like '{"command": "npm", "args": ["ci"], "onChange": ["package*.json"]}'.`,
      origin: error,
    });
  }
}

function invalid(error: z.ZodError): SlipwayError {
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  return new SlipwayError({
    code: 'usage.invalid',
    message: `The settings of a pair are not right${place === '' ? '' : ` at ${place}`}.`,
    cause: issue?.message ?? 'They have an unknown form.',
    next: 'Write the fields as they stand under dev.*.sync of a devspace.yaml.',
  });
}
