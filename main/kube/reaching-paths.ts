/** Subresources that lead into a container or to what it serves: a GET of theirs can do anything there. */
export const reachingSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/**
 * Whether a GET of this path reaches a container or the service that it runs instead of only the API server's own
 * objects. The path is read as the server reads it: `..` resolved, then percent signs decoded. What cannot be
 * decoded counts as reaching.
 */
export function reachesInside(path: string): boolean {
  const segments = decodedSegments(path);
  if (segments === undefined) return true;
  const [root, ...rest] = segments;
  const inResources = root === 'api' ? rest.slice(1) : root === 'apis' ? rest.slice(2) : [];
  const [first, , third] = inResources;
  // The form of servers before 1.10.
  if (first === 'proxy') return true;
  const resource = first === 'namespaces' && third !== undefined ? inResources.slice(2) : inResources;
  const own = first === 'namespaces' && third !== undefined && reachingSubresources.has(third);
  return own || (resource[2] !== undefined && reachingSubresources.has(resource[2]));
}

function decodedSegments(path: string): readonly string[] | undefined {
  try {
    // A server knows no fragments: the sign is one of the path's.
    const { pathname } = new URL(path.replace(/^\/*/, '/').replaceAll('#', '%23'), 'http://server');
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .flatMap((segment) => decodeURIComponent(segment).split('/'))
      .filter((segment) => segment !== '');
  } catch {
    return undefined;
  }
}
