import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KubeconfigFile } from '../../contract/clusters.ts';
import { isSlipwayError, messageOf } from '../base/errors.ts';
import { emptyKubeconfig, type Kubeconfig } from '../kube/kubeconfig.ts';
import { kubeconfigPaths, loadKubeconfig } from '../kube/kubeconfig-load.ts';
import type { Environment } from '../kube/proxy.ts';

/** Kubeconfig files that are read as one: those that kubectl would take, or one further file by itself. */
export interface KubeconfigGroup {
  readonly origin: KubeconfigFile['origin'];
  readonly config: Kubeconfig;
  readonly files: readonly KubeconfigFile[];
}

export interface GroupsOptions {
  readonly environment: Environment;
  readonly furtherFiles: readonly string[];
}

/** Reads all kubeconfigs. Never rejects: what is wrong with a file is among the problems of its group. */
export async function loadGroups(options: GroupsOptions): Promise<readonly KubeconfigGroup[]> {
  const { environment } = options;
  const config = await loadKubeconfig({ environment });
  const origin = (environment['KUBECONFIG'] ?? '') === '' ? 'default' : 'KUBECONFIG';
  const files = await Promise.all(
    kubectlPaths(environment).map((path) => describeFile(path, origin, config)),
  );
  const further = furtherPaths(options).map(async (path): Promise<KubeconfigGroup> => {
    const own = await loadOne(path, environment);
    return { origin: 'settings', config: own, files: [await describeFile(path, 'settings', own)] };
  });
  return [{ origin, config, files }, ...(await Promise.all(further))];
}

/** Every file that the groups are read from, whether it exists or not. */
export function groupPaths(options: GroupsOptions): readonly string[] {
  return [...kubectlPaths(options.environment), ...furtherPaths(options)];
}

function kubectlPaths(environment: Environment): readonly string[] {
  return kubeconfigPaths({ environment });
}

/** As written in the settings, `~` resolved; none that kubectl takes already. */
function furtherPaths({ environment, furtherFiles }: GroupsOptions): readonly string[] {
  const known = new Set(kubectlPaths(environment).map((path) => resolve(path)));
  const home = environment['HOME'] || homedir();
  const paths = furtherFiles.map((path) => resolve(path.startsWith('~/') ? join(home, path.slice(2)) : path));
  return [...new Set(paths)].filter((path) => !known.has(path));
}

async function loadOne(path: string, environment: Environment): Promise<Kubeconfig> {
  try {
    // A pipe would be waited for without end.
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => true,
    );
    if (!isFile) return { ...emptyKubeconfig, problems: [{ file: path, message: 'it is not a file' }] };
    return await loadKubeconfig({ explicitPath: path, environment });
  } catch (error) {
    const message = isSlipwayError(error, 'kubeconfig.missing')
      ? 'the file does not exist'
      : isSlipwayError(error)
        ? error.causeText
        : (messageOf(error) ?? '');
    return { ...emptyKubeconfig, problems: [{ file: path, message }] };
  }
}

async function describeFile(
  path: string,
  origin: KubeconfigFile['origin'],
  config: Kubeconfig,
): Promise<KubeconfigFile> {
  const contexts = [...config.contexts.values()].filter(({ file }) => file === path).length;
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return { path, origin, exists, contexts };
}
