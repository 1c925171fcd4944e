const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The address as the user's browser may get it, or undefined. Only https, and http for this machine (forwarded
 * ports): other schemes start programs. No names and passwords within, since they make one host look like another.
 */
export function externalAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return undefined;
  const isAllowed =
    url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.has(url.hostname));
  return isAllowed ? url.href : undefined;
}
