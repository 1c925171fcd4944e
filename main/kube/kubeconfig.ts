/** One entry of `clusters`. Keys are those of the file, so that what is shown is what was written; empty values are left out. */
export interface ClusterEntry {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority'?: string;
  /** Base64, as in the file. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly NamedExtension[];
}

/** How to run a credential plugin, see `exec-plugin.ts`. */
export interface ExecEntry {
  readonly command: string;
  readonly args: readonly string[] | null;
  readonly env: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode?: string;
}

/** One entry of `users`. */
export interface UserEntry {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly username?: string;
  readonly password?: string;
  readonly 'auth-provider'?: {
    readonly name: string;
    readonly config: Readonly<Record<string, string>> | null;
  };
  readonly exec?: ExecEntry;
  readonly extensions?: readonly NamedExtension[];
}

/** One entry of `contexts`. */
export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
  readonly extensions?: readonly NamedExtension[];
}

export interface NamedExtension {
  readonly name: string;
  readonly extension: unknown;
}

/** An entry and the file that it came from: relative paths in it belong to that file's folder. */
export interface Located<T> {
  readonly value: T;
  readonly file: string;
}

export type EntryList = 'clusters' | 'users' | 'contexts';

/** What could not be read. Without `entry` nothing of the file (or of one of its lists) was taken. */
export interface KubeconfigProblem {
  readonly file: string;
  readonly entry?: { readonly list: EntryList; readonly name: string } | undefined;
  readonly message: string;
}

/** One file, or several merged. Names are unique in each map. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, Located<ClusterEntry>>;
  readonly users: ReadonlyMap<string, Located<UserEntry>>;
  readonly contexts: ReadonlyMap<string, Located<ContextEntry>>;
  readonly currentContext: string;
  readonly colors: boolean;
  readonly extensions: readonly NamedExtension[];
  /** kubectl refuses everything when there is one; here the good entries stay usable and each problem is told. */
  readonly problems: readonly KubeconfigProblem[];
}

export const emptyKubeconfig: Kubeconfig = {
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: '',
  colors: false,
  extensions: [],
  problems: [],
};

/**
 * Merges files in the order of KUBECONFIG as kubectl does: the first file that has a name gives the whole entry,
 * the first `current-context` that is not empty is taken. A broken entry keeps its name, so that a later file
 * cannot quietly stand in for the one that the user meant.
 */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const problems = files.flatMap((file) => file.problems);
  return {
    clusters: mergeEntries('clusters', files),
    users: mergeEntries('users', files),
    contexts: mergeEntries('contexts', files),
    currentContext: files.find((file) => file.currentContext !== '')?.currentContext ?? '',
    colors: files.some((file) => file.colors),
    extensions: mergeExtensions(files),
    problems,
  };
}

function mergeEntries<L extends EntryList>(list: L, files: readonly Kubeconfig[]): Kubeconfig[L] {
  const merged = new Map<string, unknown>();
  const broken = new Set<string>();
  for (const file of files) {
    for (const [name, entry] of file[list]) {
      if (!merged.has(name) && !broken.has(name)) merged.set(name, entry);
    }
    for (const { entry } of file.problems) if (entry?.list === list) broken.add(entry.name);
  }
  return merged as unknown as Kubeconfig[L];
}

function mergeExtensions(files: readonly Kubeconfig[]): NamedExtension[] {
  const merged = new Map<string, NamedExtension>();
  for (const extension of files.flatMap((file) => file.extensions)) {
    if (!merged.has(extension.name)) merged.set(extension.name, extension);
  }
  return [...merged.values()];
}

/** Names of all usable contexts in the order of `kubectl config get-contexts -o name`, which is the order of their bytes. */
export function contextNames(config: Kubeconfig): string[] {
  return sortedNames(config.contexts);
}

export function sortedNames(entries: ReadonlyMap<string, unknown>): string[] {
  return [...entries.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
