import type { V1Service } from '@kubernetes/client-node';
import type { ContainerSummary, Detection, WorkloadKey } from '../../contract/workloads.ts';
import { isSlipwayError } from '../base/errors.ts';
import type { Kube } from '../kube/kube.ts';
import { resourceTypes } from '../kube/resource-types.ts';
import { factsQuestion, parseFacts, whyBlind, type ContainerFacts } from './container-facts.ts';
import { containerSummaries } from './container-summaries.ts';
import type { WorkloadsDependencies } from './dependencies.ts';
import { detectCommand } from './detect-command.ts';
import { detectExcludes } from './detect-excludes.ts';
import { detectLanguage } from './detect-language.ts';
import { detectContainerPath } from './detect-path.ts';
import { detectPorts } from './detect-ports.ts';
import type { FolderReader } from './folder-reader.ts';
import { askShell, findRunning, readWorkload } from './running-container.ts';
import { podLabelsOf, podSpecOf, type WorkloadObject } from './workload-rows.ts';

export type DetectDependencies = Pick<
  WorkloadsDependencies,
  'clusters' | 'clock' | 'session' | 'openFolder' | 'freePort' | 'defaultExcludes'
>;

export interface DetectQuestion extends WorkloadKey {
  readonly container?: string | undefined;
  readonly folder: string;
}

/** What a folder and a workload say about how they go together. Reads only; what is not sure is left out. */
export async function detect(
  dependencies: DetectDependencies,
  question: DetectQuestion,
  signal: AbortSignal,
): Promise<Detection> {
  let folder: FolderReader;
  try {
    folder = await dependencies.openFolder(question.folder);
  } catch (error) {
    if (!isSlipwayError(error)) throw error;
    return {
      folder: question.folder,
      problem: error.toValue(),
      excludes: [],
      ports: [],
      devspaceConfig: false,
    };
  }
  const kube = await dependencies.clusters.kube(question.cluster);
  const seen = await lookAtCluster(dependencies, kube, question, signal);
  const [ports, local] = await Promise.all([
    detectPorts({ ...seen, freePort: dependencies.freePort }),
    lookAtFolder(folder),
  ]);
  return detectionOf({
    ...seen,
    ...local,
    ports,
    folder: folder.path,
    defaults: dependencies.defaultExcludes(),
  });
}

interface Evidence {
  readonly folder: string;
  readonly items: Awaited<ReturnType<FolderReader['list']>>;
  readonly dockerfile: string | undefined;
  readonly gitignore: string | undefined;
  readonly packageJson: string | undefined;
  readonly container: ContainerSummary | undefined;
  readonly facts: ContainerFacts | undefined;
  /** Why there are no facts. */
  readonly blind?: string | undefined;
  readonly ports: Detection['ports'];
  readonly defaults: readonly string[];
}

/** Everything that was read, judged. */
export function detectionOf(evidence: Evidence): Detection {
  const language = detectLanguage(evidence.items);
  const containerPath = detectContainerPath(evidence);
  const command = detectCommand(evidence);
  return {
    folder: evidence.folder,
    ...(language === undefined ? {} : { language }),
    ...(containerPath === undefined ? {} : { containerPath }),
    excludes: detectExcludes(evidence),
    ports: evidence.ports,
    ...(command === undefined ? {} : { command }),
    ...(evidence.blind === undefined ? {} : { blind: evidence.blind }),
    devspaceConfig: evidence.items.some(({ name }) => /^devspace\.ya?ml$/.test(name)),
  };
}

export async function lookAtFolder(
  folder: FolderReader,
): Promise<Pick<Evidence, 'items' | 'dockerfile' | 'gitignore' | 'packageJson'>> {
  const [items, dockerfile, gitignore, packageJson] = await Promise.all([
    folder.list('.'),
    folder.read('Dockerfile'),
    folder.read('.gitignore'),
    folder.read('package.json'),
  ]);
  return { items, dockerfile, gitignore, packageJson };
}

async function lookAtCluster(
  { clock, session }: DetectDependencies,
  kube: Kube,
  question: DetectQuestion,
  signal: AbortSignal,
): Promise<Pick<Evidence, 'container' | 'facts' | 'blind'> & { readonly services: readonly V1Service[] }> {
  const object = await readWorkload(kube, question, signal);
  const summaries = containerSummaries(podSpecOf(question.kind, object));
  const container = summaries.find(({ name }) => name === question.container) ?? summaries[0];
  const [services, running] = await Promise.all([
    servicesOf(kube, question, object, signal),
    findRunning(kube, session, { ...question, container: container?.name }, object, signal),
  ]);
  if (running.kind === 'none') return { container, facts: undefined, blind: running.reason, services };
  const answer = await askShell({ kube, clock, target: running.target }, factsQuestion, signal);
  const facts = parseFacts(answer);
  return { container, facts, ...(facts === undefined ? { blind: whyBlind(answer) } : {}), services };
}

async function servicesOf(
  kube: Kube,
  { kind, namespace }: WorkloadKey,
  object: WorkloadObject,
  signal: AbortSignal,
): Promise<readonly V1Service[]> {
  const labels = podLabelsOf(kind, object);
  try {
    const { items } = await kube.list<V1Service>(resourceTypes.service, namespace, { signal });
    return items.filter((service) => {
      const selector = Object.entries(service.spec?.selector ?? {});
      return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
    });
  } catch (error) {
    if (isSlipwayError(error, 'cluster.forbidden')) return [];
    throw error;
  }
}
