import { SlipwayError } from '../base/errors.ts';
import { emptyKubeconfig, sortedNames } from './kubeconfig.ts';
import type { ClusterEntry, Kubeconfig, Located, UserEntry } from './kubeconfig.ts';
import { resolveBeside } from './kubeconfig-select.ts';

export interface ViewOptions {
  /** Shows secrets and certificate data as they are; otherwise `REDACTED` and `DATA+OMITTED`. */
  readonly raw?: boolean | undefined;
  /** Keeps only what one context uses: `context`, or the current one. */
  readonly minify?: boolean | undefined;
  readonly context?: string | undefined;
  /** Puts the content of certificate files in; implies `raw`, as in kubectl. */
  readonly flatten?: boolean | undefined;
  /** Reads a certificate file; needed for `flatten`. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** The answer of `kubectl config view -o json` for the same files: a plain value in kubectl's order of keys. */
export async function viewKubeconfig(
  config: Kubeconfig,
  options: ViewOptions,
): Promise<Record<string, unknown>> {
  refuseProblems(config);
  const chosen = options.minify ? minify(config, options.context ?? '') : config;
  const show = async (): Promise<[Shown<ClusterEntry>, Shown<UserEntry>]> => {
    if (options.flatten) {
      return [
        await flattenEntries(chosen.clusters, clusterFiles, options.readFile),
        await flattenEntries(chosen.users, userFiles, options.readFile),
      ];
    }
    const shown = options.raw ? <T>(entry: T): T => entry : redactEntry;
    return [showEntries(chosen.clusters, shown), showEntries(chosen.users, shown)];
  };
  const [clusters, users] = await show();
  return {
    kind: 'Config',
    apiVersion: 'v1',
    ...(chosen.colors ? { preferences: { colors: true } } : {}),
    clusters: namedList('cluster', clusters),
    users: namedList('user', users),
    contexts: namedList(
      'context',
      showEntries(chosen.contexts, (entry) => entry),
    ),
    'current-context': chosen.currentContext,
    ...(chosen.extensions.length > 0 ? { extensions: chosen.extensions } : {}),
  };
}

/** kubectl shows nothing when anything is wrong; what shows a list to a person uses the config's good entries instead. */
export function refuseProblems(config: Kubeconfig): void {
  const problem = config.problems[0];
  if (problem === undefined) return;
  throw new SlipwayError({
    code: 'kubeconfig.invalid',
    message: `The kubeconfig file ${problem.file} cannot be read whole.`,
    cause: problem.message,
    next: 'Correct that file, or leave it out of KUBECONFIG.',
  });
}

function minify(config: Kubeconfig, context: string): Kubeconfig {
  const name = context === '' ? config.currentContext : context;
  if (name === '') throw dangling('current-context is not set', 'Name a context with --context.');
  const entry = config.contexts.get(name);
  if (entry === undefined) throw dangling(`cannot locate context ${name}`, 'Name a context that exists.');
  const pick = <T>(list: string, from: ReadonlyMap<string, T>, wanted: string): ReadonlyMap<string, T> => {
    const found = from.get(wanted);
    if (found !== undefined) return new Map([[wanted, found]]);
    if (wanted === '') return new Map();
    throw dangling(`cannot locate ${list} ${wanted}`, `Add it, or correct the context ${name}.`);
  };
  return {
    ...emptyKubeconfig,
    colors: config.colors,
    extensions: config.extensions,
    currentContext: name,
    contexts: new Map([[name, entry]]),
    clusters: pick('cluster', config.clusters, entry.value.cluster),
    users: pick('user', config.users, entry.value.user),
  };
}

function dangling(cause: string, next: string): SlipwayError {
  return new SlipwayError({
    code: 'kubeconfig.context-unknown',
    message: 'The kubeconfig cannot be cut down to one context.',
    cause,
    next,
  });
}

type Shown<T> = readonly (readonly [name: string, entry: T])[];

function showEntries<T>(entries: ReadonlyMap<string, Located<T>>, shown: (entry: T) => T): Shown<T> {
  return sortedNames(entries).flatMap((name) => {
    const located = entries.get(name);
    return located === undefined ? [] : [[name, shown(located.value)] as const];
  });
}

function namedList(key: string, entries: Shown<unknown>): Record<string, unknown>[] | null {
  return entries.length === 0 ? null : entries.map(([name, entry]) => ({ name, [key]: entry }));
}

function redactEntry<T extends object>(entry: T): T {
  const replaced: Readonly<Record<string, string>> = {
    token: 'REDACTED',
    password: 'REDACTED',
    'client-key-data': 'DATA+OMITTED',
    'client-certificate-data': 'DATA+OMITTED',
    'certificate-authority-data': 'DATA+OMITTED',
  };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, replaced[key] ?? (value as unknown)]),
  ) as T;
}

const clusterFiles = ['certificate-authority'] as const;
const userFiles = ['client-certificate', 'client-key'] as const;

async function flattenEntries<T extends object>(
  entries: ReadonlyMap<string, Located<T>>,
  keys: readonly string[],
  readFile: ViewOptions['readFile'],
): Promise<Shown<T>> {
  const flat: (readonly [string, T])[] = [];
  for (const [name, value] of showEntries(entries, (entry) => entry)) {
    const file = entries.get(name)?.file ?? '';
    const pairs: (readonly [string, unknown])[] = [];
    for (const [key, content] of Object.entries(value)) {
      if (!keys.includes(key) || typeof content !== 'string') {
        pairs.push([key, content]);
        continue;
      }
      if (`${key}-data` in value) throw cannotFlatten(`${name} has both ${key} and ${key}-data`);
      pairs.push([
        `${key}-data`,
        await readBase64(resolveBeside(file, content), `${key} of ${name}`, readFile),
      ]);
    }
    flat.push([name, Object.fromEntries(pairs) as T]);
  }
  return flat;
}

async function readBase64(path: string, what: string, readFile: ViewOptions['readFile']): Promise<string> {
  try {
    return Buffer.from(await readFile(path)).toString('base64');
  } catch (error) {
    throw cannotFlatten(`${what} cannot be read`, error);
  }
}

function cannotFlatten(cause: string, origin?: unknown): SlipwayError {
  return new SlipwayError({
    code: 'kubeconfig.invalid',
    message: 'The kubeconfig cannot be flattened.',
    cause: origin instanceof Error ? `${cause}: ${origin.message}` : cause,
    next: 'Correct that entry of the kubeconfig.',
    origin,
  });
}
