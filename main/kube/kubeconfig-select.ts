import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { SlipwayError } from '../base/errors.ts';
import type { ClusterEntry, EntryList, ExecEntry, Kubeconfig, UserEntry } from './kubeconfig.ts';

/** What one context names, with every path made absolute. Kept in memory: the user's file is never written. */
export interface Selection {
  readonly contextName: string;
  /** `default` when the context names none. */
  readonly namespace: string;
  readonly clusterName: string;
  readonly userName: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
}

export interface SelectOptions {
  /** The current context when undefined. */
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/**
 * Resolves one context to its cluster and user and checks both as kubectl does before it connects. What is wrong
 * with other entries does not matter here.
 */
export function selectContext(config: Kubeconfig, options: SelectOptions): Selection {
  const contextName = options.context ?? config.currentContext;
  if (contextName === '') throw noContext(config);
  const context = config.contexts.get(contextName);
  if (context === undefined) throw unknownContext(config, contextName);
  const clusterName = context.value.cluster;
  const userName = context.value.user;
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined) throw missingEntry(config, contextName, 'clusters', clusterName);
  const user = userName === '' ? { file: context.file, value: {} } : config.users.get(userName);
  if (user === undefined) throw missingEntry(config, contextName, 'users', userName);
  const selection: Selection = {
    contextName,
    namespace: options.namespace ?? context.value.namespace ?? 'default',
    clusterName,
    userName,
    cluster: resolveCluster(cluster.value, cluster.file),
    user: resolveUser(user.value, user.file),
  };
  const complaint = complainAbout(selection);
  if (complaint === undefined) return selection;
  throw new SlipwayError({
    code: 'kubeconfig.invalid',
    message: `The context ${contextName} cannot be used as the kubeconfig describes it.`,
    cause: complaint,
    next: `Correct that entry in ${complaint.startsWith('user') ? user.file : cluster.file}.`,
  });
}

/** The path that an entry of `file` means: relative ones belong to the folder of the file, as in kubectl. */
export function resolveBeside(file: string, path: string): string {
  return path === '' || isAbsolute(path) ? path : join(resolve(dirname(file)), path);
}

function resolveCluster(cluster: ClusterEntry, file: string): ClusterEntry {
  const authority = cluster['certificate-authority'];
  return authority === undefined
    ? cluster
    : { ...cluster, 'certificate-authority': resolveBeside(file, authority) };
}

function resolveUser(user: UserEntry, file: string): UserEntry {
  const resolved: Record<string, unknown> = { ...user };
  for (const key of ['client-certificate', 'client-key', 'tokenFile'] as const) {
    const path = user[key];
    if (path !== undefined) resolved[key] = resolveBeside(file, path);
  }
  if (user.exec !== undefined) resolved['exec'] = resolveExec(user.exec, file);
  return resolved;
}

/** A bare name is looked up in PATH; a name with a separator is a path. */
function resolveExec(exec: ExecEntry, file: string): ExecEntry {
  return exec.command.includes(sep) ? { ...exec, command: resolveBeside(file, exec.command) } : exec;
}

function complainAbout(selection: Selection): string | undefined {
  return complainAboutCluster(selection) ?? complainAboutUser(selection) ?? complainAboutNamespace(selection);
}

function complainAboutCluster({ cluster, clusterName }: Selection): string | undefined {
  const of = `cluster "${clusterName}"`;
  if (cluster.server === '') return `${of} has no server address`;
  const authority = cluster['certificate-authority'] ?? '';
  const authorityData = cluster['certificate-authority-data'] ?? '';
  if (authority !== '' && authorityData !== '')
    return `${of} has certificate-authority and certificate-authority-data`;
  if (cluster['insecure-skip-tls-verify'] && (authority !== '' || authorityData !== '')) {
    return `${of} switches certificate checks off and names an authority to check with`;
  }
  return undefined;
}

function complainAboutUser({ user, userName }: Selection): string | undefined {
  const of = `user "${userName}"`;
  if (user.token !== undefined && (user.username !== undefined || user.password !== undefined)) {
    return `${of} has a token and a user name, and only one can be used`;
  }
  if (user['client-certificate'] !== undefined && user['client-certificate-data'] !== undefined) {
    return `${of} has client-certificate and client-certificate-data`;
  }
  const hasCertificate = (user['client-certificate'] ?? user['client-certificate-data']) !== undefined;
  if (hasCertificate && user['client-key'] !== undefined && user['client-key-data'] !== undefined) {
    return `${of} has client-key and client-key-data`;
  }
  if (hasCertificate && (user['client-key'] ?? user['client-key-data']) === undefined) {
    return `${of} has a client certificate without its key`;
  }
  const impersonates = (user['as-uid'] ?? user['as-groups'] ?? user['as-user-extra']) !== undefined;
  if (impersonates && user.as === undefined)
    return `${of} impersonates a uid, groups or extras without a user`;
  const provider = user['auth-provider'];
  if (provider !== undefined) {
    return `${of} signs in with the auth provider "${provider.name}", which is gone; its exec plugin takes its place`;
  }
  return user.exec === undefined ? undefined : complainAboutExec(user.exec, of);
}

/** Versions of the plugin protocol that are spoken. */
export const execApiVersions: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];

function complainAboutExec(exec: ExecEntry, of: string): string | undefined {
  if (exec.command === '') return `${of} has an exec plugin without command`;
  if (exec.env?.some((variable) => variable.name === ''))
    return `${of} has an exec plugin variable without name`;
  if (!execApiVersions.includes(exec.apiVersion ?? '')) {
    return `${of} has an exec plugin of apiVersion "${exec.apiVersion ?? ''}", which is not known`;
  }
  if (exec.interactiveMode === undefined) return `${of} has an exec plugin without interactiveMode`;
  if (!['Never', 'IfAvailable', 'Always'].includes(exec.interactiveMode)) {
    return `${of} has an exec plugin of interactiveMode "${exec.interactiveMode}", which is not known`;
  }
  return undefined;
}

function complainAboutNamespace({ namespace }: Selection): string | undefined {
  return namespace.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace)
    ? undefined
    : `"${namespace}" cannot be the name of a namespace`;
}

function noContext(config: Kubeconfig): SlipwayError {
  if (config.contexts.size === 0) {
    const problem = config.problems[0];
    return new SlipwayError({
      code: problem === undefined ? 'kubeconfig.missing' : 'kubeconfig.invalid',
      message: 'No kubeconfig with a context was found.',
      cause:
        problem === undefined
          ? 'The kubeconfig files are missing or empty.'
          : `${problem.file}: ${problem.message}`,
      next: 'Set KUBECONFIG or --kubeconfig to the file that your cluster gave you.',
    });
  }
  return new SlipwayError({
    code: 'kubeconfig.context-unknown',
    message: 'No context is chosen.',
    cause: 'The kubeconfig sets no current-context.',
    next: `Choose one with --kube-context: ${listNames(config)}.`,
  });
}

function unknownContext(config: Kubeconfig, name: string): SlipwayError {
  if (config.contexts.size === 0 && config.problems.length === 0) return noContext(config);
  const problem = problemOf(config, 'contexts', name);
  return new SlipwayError({
    code: problem === undefined ? 'kubeconfig.context-unknown' : 'kubeconfig.invalid',
    message: `The kubeconfig has no usable context "${name}".`,
    cause: problem ?? `The contexts are: ${listNames(config)}.`,
    next: 'Choose one of the contexts that are there, or correct the kubeconfig.',
  });
}

function missingEntry(config: Kubeconfig, context: string, list: EntryList, name: string): SlipwayError {
  const what = list === 'clusters' ? 'cluster' : 'user';
  return new SlipwayError({
    code: 'kubeconfig.invalid',
    message: `The context ${context} cannot be used: its ${what} "${name}" is not usable.`,
    cause: problemOf(config, list, name) ?? `No kubeconfig file has a ${what} of that name.`,
    next: 'Correct the kubeconfig, or choose another context.',
  });
}

/** Why an entry may be missing: its own problem, or else a file that could not be read at all. */
function problemOf(config: Kubeconfig, list: EntryList, name: string): string | undefined {
  const own = config.problems.find(({ entry }) => entry?.list === list && entry.name === name);
  const problem = own ?? config.problems.find(({ entry }) => entry === undefined);
  return problem === undefined ? undefined : `${problem.file}: ${problem.message}`;
}

const maximumListedNames = 10;

function listNames(config: Kubeconfig): string {
  const names = [...config.contexts.keys()];
  const listed = names.slice(0, maximumListedNames).join(', ');
  const more = names.length - maximumListedNames;
  return names.length === 0 ? 'none' : more > 0 ? `${listed} and ${more} more` : listed;
}
