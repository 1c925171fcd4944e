/** A Deployment of the sandbox's web image: busybox httpd on 8080 serving /app. */
export function webDeployment(
  namespace: string,
  options: {
    readonly name?: string;
    readonly replicas?: number;
    readonly image?: string;
    /** Further fields of the container. */
    readonly container?: Readonly<Record<string, unknown>>;
  } = {},
): unknown {
  const name = options.name ?? 'web';
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      labels: { app: name, 'object-label': 'kept' },
      annotations: { 'object-annotation': 'kept' },
    },
    spec: {
      replicas: options.replicas ?? 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'web',
              image: options.image ?? 'sandbox/web:1',
              ports: [{ containerPort: 8080 }],
              livenessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 5 },
              readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
              ...options.container,
            },
          ],
        },
      },
    },
  };
}

export function webService(namespace: string, name = 'web'): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
  };
}
