import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { watch } from 'chokidar';
import { isCancellation, messageOf, SlipwayError } from '../base/errors.ts';
import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { emptyKubeconfig, mergeKubeconfigs } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { maximumKubeconfigBytes, parseKubeconfig } from './kubeconfig-parse.ts';

/** Where kubeconfig files are looked for. */
export interface KubeconfigSource {
  /** `--kubeconfig`: this file alone, and it has to exist. */
  readonly explicitPath?: string | undefined;
  /** KUBECONFIG and HOME are read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads a whole file; rejects as `fs.readFile` does. */
export type ReadText = (path: string) => Promise<string>;

/** The files in their order of precedence, each once; an empty element of KUBECONFIG is none. */
export function kubeconfigPaths(source: KubeconfigSource): string[] {
  if (source.explicitPath !== undefined && source.explicitPath !== '') return [source.explicitPath];
  const listed = source.environment['KUBECONFIG'] ?? '';
  if (listed === '') return [join(source.environment['HOME'] || homedir(), '.kube', 'config')];
  return [...new Set(listed.split(delimiter).filter((path) => path !== ''))];
}

/**
 * Loads and merges the files. A file of KUBECONFIG that does not exist is skipped, one that cannot be read is a
 * problem of the result; only an explicit file that cannot be read is an error.
 */
export async function loadKubeconfig(
  source: KubeconfigSource,
  read: ReadText = readBounded,
): Promise<Kubeconfig> {
  const explicit = source.explicitPath !== undefined && source.explicitPath !== '';
  const files: Kubeconfig[] = [];
  for (const path of kubeconfigPaths(source)) {
    try {
      files.push(parseKubeconfig(path, await read(path)));
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (explicit) throw unreadable(path, error);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      files.push({ ...emptyKubeconfig, problems: [{ file: path, message: messageOf(error) ?? '' }] });
    }
  }
  return mergeKubeconfigs(files);
}

function unreadable(path: string, error: unknown): SlipwayError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return new SlipwayError({
    code: missing ? 'kubeconfig.missing' : 'kubeconfig.unreadable',
    message: `The kubeconfig file ${path} ${missing ? 'does not exist' : 'cannot be read'}.`,
    next: missing
      ? 'Check the path given with --kubeconfig.'
      : 'Check that it is a file and that you may read it.',
    origin: error,
  });
}

async function readBounded(path: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    if (size > maximumKubeconfigBytes)
      throw new Error(`the file is larger than ${maximumKubeconfigBytes} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** How long after the last change of a file it is read: editors and sign-in tools write in several steps. */
export const reloadDelayMs = 250;

/**
 * Calls back with the newly loaded config after one of the files was written, created or removed. Connects to
 * nothing. An explicit file that went away counts as an empty config.
 */
export function watchKubeconfig(
  source: KubeconfigSource,
  listener: (config: Kubeconfig) => void,
  clock: Clock = systemClock,
): AsyncDisposable {
  const watcher = watch(
    kubeconfigPaths(source).map((path) => resolve(path)),
    { ignoreInitial: true },
  );
  let timer: Disposable | undefined;
  let ended = false;
  const reload = async (): Promise<void> => {
    const config = await loadKubeconfig(source).catch((error: unknown) => problemConfig(source, error));
    if (!ended) listener(config);
  };
  watcher.on('all', () => {
    timer?.[Symbol.dispose]();
    timer = clock.timer(reloadDelayMs, () => void reload());
  });
  // A folder that may not be watched leaves the config as it was loaded.
  watcher.on('error', () => undefined);
  return {
    async [Symbol.asyncDispose]() {
      ended = true;
      timer?.[Symbol.dispose]();
      await watcher.close();
    },
  };
}

function problemConfig(source: KubeconfigSource, error: unknown): Kubeconfig {
  const [file = ''] = kubeconfigPaths(source);
  return { ...emptyKubeconfig, problems: [{ file, message: messageOf(error) ?? '' }] };
}
