import {
  clusterIdPattern as clusterId,
  labelPattern as namespaceName,
  objectNamePattern as objectName,
  ownIdPattern as sessionId,
} from '../../../contract/name-patterns.ts';

/** Where a link from outside may lead. A link shows something and never does anything. */
export type DeepLink =
  | { readonly kind: 'show' }
  | { readonly kind: 'workloads'; readonly cluster: string; readonly namespaces: readonly string[] }
  | {
      readonly kind: 'workload';
      readonly cluster: string;
      readonly namespace: string;
      readonly workload: string;
      readonly name: string;
    }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'leftovers'; readonly cluster?: string }
  | { readonly kind: 'settings'; readonly section?: string }
  | { readonly kind: 'unknown'; readonly text: string };

export const deepLinkScheme = 'slipway';
/** Characters of a link; a longer one is unknown. */
const longestLink = 2048;
const mostNamespaces = 50;

const workloadKind = /^(Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|Pod)$/;
const settingsSection = /^(clusters|kubeconfig|tools|appearance|shortcuts|sync|privacy)$/;

/**
 * Reads `slipway://workloads/<cluster>?namespace=…`, `slipway://workload/<cluster>/<namespace>/<kind>/<name>`,
 * `slipway://session/<id>`, `slipway://leftovers[/<cluster>]`, `slipway://settings[/<section>]` and
 * `slipway://show`. Anybody can make a user click one, so every value is checked by its pattern and everything
 * else, also a link with something too many, is `unknown`.
 */
export function parseDeepLink(text: string): DeepLink {
  const unknown: DeepLink = { kind: 'unknown', text: text.slice(0, longestLink) };
  if (text.length > longestLink || !URL.canParse(text)) return unknown;
  const url = new URL(text);
  if (url.protocol !== `${deepLinkScheme}:` || url.username !== '' || url.port !== '' || url.hash !== '')
    return unknown;
  const parts = url.pathname.split('/').slice(1);
  // A slash at the end is what browsers add to a bare name.
  if (parts.at(-1) === '') parts.pop();
  const namespaces = namespacesOf(url.searchParams);
  if (namespaces === undefined) return unknown;
  if (namespaces.length > 0 && url.host !== 'workloads') return unknown;
  return read(url.host, parts, namespaces) ?? unknown;
}

function read(page: string, parts: readonly string[], namespaces: readonly string[]): DeepLink | undefined {
  const [first = '', second = '', third = '', fourth = ''] = parts;
  const fits = (...patterns: readonly RegExp[]): boolean =>
    parts.length === patterns.length && patterns.every((pattern, index) => pattern.test(parts[index] ?? ''));
  if (page === 'show' && fits()) return { kind: 'show' };
  if (page === 'workloads' && fits(clusterId)) return { kind: 'workloads', cluster: first, namespaces };
  if (page === 'workload' && fits(clusterId, namespaceName, workloadKind, objectName))
    return { kind: 'workload', cluster: first, namespace: second, workload: third, name: fourth };
  if (page === 'session' && fits(sessionId)) return { kind: 'session', session: first };
  if (page === 'leftovers' && fits()) return { kind: 'leftovers' };
  if (page === 'leftovers' && fits(clusterId)) return { kind: 'leftovers', cluster: first };
  if (page === 'settings' && fits()) return { kind: 'settings' };
  if (page === 'settings' && fits(settingsSection)) return { kind: 'settings', section: first };
  return undefined;
}

/** Undefined when the question has anything else in it. */
function namespacesOf(question: URLSearchParams): readonly string[] | undefined {
  const entries = [...question];
  if (entries.length > mostNamespaces) return undefined;
  return entries.every(([name, value]) => name === 'namespace' && namespaceName.test(value))
    ? entries.map(([, value]) => value)
    : undefined;
}

/** The first link among the arguments of a start, if there is one. */
export function deepLinkIn(argv: readonly string[]): string | undefined {
  return argv.find((text) => text.startsWith(`${deepLinkScheme}://`));
}

/** The page of a link, as the window's address has it; undefined for a link that only shows the app or is unknown. */
export function deepLinkHash(link: DeepLink): string | undefined {
  const parts = partsOf(link);
  return parts === undefined ? undefined : `#/${parts.map(encodeURIComponent).join('/')}`;
}

function partsOf(link: DeepLink): readonly string[] | undefined {
  switch (link.kind) {
    case 'show':
    case 'unknown':
      return undefined;
    case 'workloads':
      return ['workloads', link.cluster, ...link.namespaces];
    case 'workload':
      return ['workload', link.cluster, link.namespace, link.workload, link.name];
    case 'session':
      return ['session', link.session];
    case 'leftovers':
      return ['leftovers', ...(link.cluster === undefined ? [] : [link.cluster])];
    case 'settings':
      return ['settings', ...(link.section === undefined ? [] : [link.section])];
  }
}
