/** Path of a subresource of a pod, its segments encoded: names come from a cluster or a user. */
export function podPath(
  target: { readonly namespace: string; readonly pod: string },
  subresource: string,
): string {
  const namespace = encodeURIComponent(target.namespace);
  return `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(target.pod)}/${subresource}`;
}
