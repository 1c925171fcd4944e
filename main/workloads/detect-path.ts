import type { ContainerSummary, Detected } from '../../contract/workloads.ts';
import type { ContainerFacts } from './container-facts.ts';
import { dockerfilePlaces } from './dockerfile.ts';
import type { FolderItem } from './folder-reader.ts';
import { projectMarks } from './detect-language.ts';

export interface PathEvidence {
  readonly items: readonly FolderItem[];
  readonly dockerfile: string | undefined;
  readonly container: Pick<ContainerSummary, 'name' | 'workingDir'> | undefined;
  readonly facts: ContainerFacts | undefined;
}

/** Folders that many programs share: nobody means them as a whole. */
const tooBroad: ReadonlySet<string> = new Set([
  '/',
  '/root',
  '/home',
  '/tmp',
  '/usr',
  '/etc',
  '/var',
  '/opt',
]);

/** Where the folder belongs in the container: by what lies there, by the Dockerfile, by the working folder. */
export function detectContainerPath(evidence: PathEvidence): Detected<string> | undefined {
  return byContents(evidence) ?? byDockerfile(evidence) ?? byWorkingFolder(evidence) ?? byWellKnown(evidence);
}

function byContents({ items, facts }: PathEvidence): Detected<string> | undefined {
  if (facts === undefined) return undefined;
  const names = new Set(items.filter(({ kind }) => kind === 'file').map(({ name }) => name));
  const telling = projectMarks(items);
  const ranked = [...facts.folders]
    .filter(([folder]) => !tooBroad.has(folder))
    .map(([folder, there]) => ({
      folder,
      shared: there.filter((name) => names.has(name)),
      marked: telling.find((mark) => there.includes(mark)),
    }))
    .filter(({ shared, marked }) => marked !== undefined || shared.length >= 2)
    .sort(
      (a, b) =>
        Number(b.marked !== undefined) - Number(a.marked !== undefined) || b.shared.length - a.shared.length,
    );
  const [best] = ranked;
  if (best === undefined) return undefined;
  return {
    value: best.folder,
    why: `the running container has ${best.marked ?? best.shared.slice(0, 2).join(' and ')} there as well`,
  };
}

function byDockerfile({ dockerfile }: PathEvidence): Detected<string> | undefined {
  if (dockerfile === undefined) return undefined;
  const { contextCopiedTo, workingFolder } = dockerfilePlaces(dockerfile);
  if (contextCopiedTo !== undefined && !tooBroad.has(contextCopiedTo)) {
    return { value: contextCopiedTo, why: "the folder's Dockerfile copies the folder there" };
  }
  if (workingFolder !== undefined && !tooBroad.has(workingFolder)) {
    return { value: workingFolder, why: "it is WORKDIR in the folder's Dockerfile" };
  }
  return undefined;
}

function byWorkingFolder({ container, facts }: PathEvidence): Detected<string> | undefined {
  if (container?.workingDir !== undefined && !tooBroad.has(container.workingDir)) {
    return { value: container.workingDir, why: `it is workingDir of container ${container.name}` };
  }
  if (facts?.workingFolder !== undefined && !tooBroad.has(facts.workingFolder)) {
    return { value: facts.workingFolder, why: 'the running container starts its programs there' };
  }
  return undefined;
}

function byWellKnown({ facts }: PathEvidence): Detected<string> | undefined {
  const [only, ...others] = [...(facts?.folders.keys() ?? [])].filter((folder) => !tooBroad.has(folder));
  if (only === undefined || others.length > 0) return undefined;
  return { value: only, why: 'of the usual folders the running container has this one alone' };
}
