import type { Clusters } from '../clusters/clusters.ts';
import type { Handlers } from '../ipc/handlers.ts';
import { createSample, sampleNamespace } from './create-sample.ts';
import { listFolders } from './list-folders.ts';

export interface WelcomeDependencies {
  readonly clusters: Pick<Clusters, 'kubeFor' | 'noteNamespace'>;
  /** Whether a cluster is the sandbox of this machine. */
  readonly isSandbox: (cluster: string) => boolean;
  readonly homeFolder: string;
  /** The folder with the sample's `deploy.yaml` and `src`. */
  readonly sampleFolder: string;
  /** Remembers a folder, so that the next start offers it. */
  readonly noteFolder: (path: string) => Promise<void>;
}

/** What the window asks for before there is a session: folders of this machine, and a workload to try one on. */
export function createWelcomeHandlers(
  deps: WelcomeDependencies,
): Pick<Handlers, 'app.listFolders' | 'app.createSample'> {
  const { clusters, isSandbox, homeFolder, sampleFolder, noteFolder } = deps;
  return {
    'app.listFolders': ({ path }, { signal }) => listFolders({ path, homeFolder }, signal),
    'app.createSample': async ({ cluster, confirmation }, { signal }) => {
      const kube = await clusters.kubeFor(cluster, { expected: sampleNamespace, typed: confirmation });
      const sample = await createSample({
        ...{ kube, homeFolder, signal },
        from: sampleFolder,
        hasImages: isSandbox(cluster),
      });
      clusters.noteNamespace(cluster, sample.namespace);
      await noteFolder(sample.folder);
      return sample;
    },
  };
}
