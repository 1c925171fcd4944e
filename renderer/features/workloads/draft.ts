import type { Detected, Detection, StartForm, WorkloadKey } from '../../../contract/workloads.ts';

/** The form as it is being filled in: texts as they are typed. */
export interface Draft {
  readonly container: string;
  readonly folder: string;
  readonly containerPath: string;
  readonly createPath: boolean;
  readonly strategy: StartForm['strategy'];
  readonly excludes: readonly Detected<string>[];
  readonly ports: readonly PortDraft[];
  readonly image: string;
  readonly command: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Fields that the user has changed: what is found out later leaves them alone. */
  readonly touched: ReadonlySet<Touchable>;
}

export interface PortDraft {
  readonly local: string;
  readonly remote: string;
  readonly why: string;
}

const touchables = ['containerPath', 'excludes', 'ports'] as const;
export type Touchable = (typeof touchables)[number];

export const emptyDraft: Draft = {
  container: '',
  folder: '',
  containerPath: '',
  createPath: false,
  strategy: 'preferLocal',
  excludes: [],
  ports: [],
  image: '',
  command: '',
  env: [],
  touched: new Set(),
};

export const addedByYou = 'added by you';
const asBefore = 'as it was started before';

/** The draft of a start that is known: what it says stands, the rest is found out. */
export function draftOf(known: { readonly folder: string } & Partial<StartForm>): Draft {
  const { folder, container, containerPath, createPath, strategy, excludes, ports, image, command, env } =
    known;
  const given = { containerPath, excludes, ports };
  return {
    folder,
    container: container ?? emptyDraft.container,
    containerPath: containerPath ?? emptyDraft.containerPath,
    createPath: createPath ?? emptyDraft.createPath,
    strategy: strategy ?? emptyDraft.strategy,
    excludes: (excludes ?? []).map((value) => ({ value, why: asBefore })),
    ports: (ports ?? []).map(({ local, remote }) => ({
      local: String(local),
      remote: String(remote),
      why: asBefore,
    })),
    image: image ?? emptyDraft.image,
    command: command ?? emptyDraft.command,
    env: env ?? emptyDraft.env,
    touched: new Set(touchables.filter((field) => given[field] !== undefined)),
  };
}

/** The draft with what was found out, where the user has not said otherwise. */
export function withDetection(draft: Draft, detection: Detection): Draft {
  const { touched } = draft;
  return {
    ...draft,
    containerPath: touched.has('containerPath')
      ? draft.containerPath
      : (detection.containerPath?.value ?? ''),
    excludes: touched.has('excludes') ? draft.excludes : detection.excludes,
    ports: touched.has('ports')
      ? draft.ports
      : detection.ports.map(({ value, why }) => ({
          local: String(value.local),
          remote: String(value.remote),
          why,
        })),
  };
}

/** What is wrong in the form, by field; sentences. */
export type DraftProblems = Readonly<Partial<Record<'folder' | 'containerPath' | 'ports' | 'env', string>>>;

export type ReadDraft =
  | { readonly kind: 'form'; readonly form: StartForm }
  | { readonly kind: 'unfinished'; readonly problems: DraftProblems; readonly reason: string };

/** Reads the draft; unfinished as long as something has to be filled in or corrected. */
export function readDraft(key: WorkloadKey, draft: Draft, containers: readonly string[]): ReadDraft {
  const ports = draft.ports.filter(({ local, remote }) => local.trim() !== '' || remote.trim() !== '');
  const env = draft.env.filter(({ name, value }) => name.trim() !== '' || value !== '');
  const problems = problemsOf(draft, ports, env);
  const [first] = Object.values(problems);
  if (first !== undefined) return { kind: 'unfinished', problems, reason: first };
  if (draft.folder.trim() === '') return { kind: 'unfinished', problems, reason: 'Choose a folder first.' };
  if (draft.containerPath.trim() === '') {
    return { kind: 'unfinished', problems, reason: 'Say where the folder belongs in the container.' };
  }
  const { cluster, namespace, kind, name } = key;
  return {
    kind: 'form',
    form: {
      cluster,
      namespace,
      kind,
      name,
      // Left out where there is no choice, as on the command line: both then know the same past of the pair.
      ...(containers.length > 1 ? { container: draft.container || (containers[0] ?? '') } : {}),
      folder: draft.folder.trim(),
      containerPath: draft.containerPath.trim(),
      createPath: draft.createPath,
      strategy: draft.strategy,
      excludes: draft.excludes.map(({ value }) => value),
      ports: ports.map(({ local, remote }) => ({
        local: Number(local.trim() === '' ? remote : local),
        remote: Number(remote.trim() === '' ? local : remote),
      })),
      ...(draft.image.trim() === '' ? {} : { image: draft.image.trim() }),
      ...(draft.command.trim() === '' ? {} : { command: draft.command.trim() }),
      env: env.map(({ name: variable, value }) => ({ name: variable.trim(), value })),
    },
  };
}

function problemsOf(draft: Draft, ports: readonly PortDraft[], env: Draft['env']): DraftProblems {
  const badPort = ports
    .flatMap(({ local, remote }) => [local.trim(), remote.trim()])
    .find((text) => text !== '' && !isPort(text));
  const unnamed = env.find(({ name }) => name.trim() === '' || name.includes('='));
  const path = draft.containerPath.trim();
  return {
    ...(badPort === undefined ? {} : { ports: `${badPort} is not a port: it goes from 1 to 65535.` }),
    ...(unnamed === undefined ? {} : { env: 'A variable needs a name without an equal sign.' }),
    ...(path.includes(':') || path.split('/').includes('..')
      ? { containerPath: 'Write it from the root, like /app, without a colon and without "..".' }
      : {}),
  };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

export const strategyLabels: readonly { readonly value: StartForm['strategy']; readonly label: string }[] = [
  { value: 'preferLocal', label: 'This machine wins where both differ' },
  { value: 'preferRemote', label: 'The container wins where both differ' },
  { value: 'preferNewest', label: 'The newer file wins' },
  { value: 'mirrorLocal', label: 'The container becomes like this machine' },
  { value: 'mirrorRemote', label: 'This machine becomes like the container' },
  { value: 'keepAll', label: 'Ask for every file that differs' },
  { value: 'disabled', label: 'Leave both, sync only what changes later' },
];
