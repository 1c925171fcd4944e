import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apply, kubectlWithInput } from '../../support/kubectl.ts';

/** Elements that would show themselves, call another host and run code, were they ever made into elements. */
const markup =
  '"\'><img data-hostile src=http://127.0.0.1:9/x onerror="globalThis.hostile=1">' +
  '<script data-hostile>globalThis.hostile=1</script><a data-hostile href="javascript:globalThis.hostile=1">x</a>';
/** What it is recognised by on a page. */
export const hostileStart = '<img data-hostile';
/** Reads `exe.txt` backwards, colours the rest red and puts something into the clipboard, were it ever obeyed. */
const controls =
  '\u202etxt.exe\u202c\u2066\u200b\u0007\u001b[31m\u001b]52;c;aG9zdGlsZQ==\u0007\u001b]0;hostile\u0007';
/** Hostile in every way at once, with a name to find it by. */
export function hostileText(name: string): string {
  return `${name} ${markup} ${controls}`;
}

/** Names that files can have. */
export const hostileFiles: readonly string[] = [
  '<img data-hostile src=x onerror=globalThis.hostile=1>.txt',
  'invoice\u202etxt.exe',
  'esc\u001b]0;hostile\u0007ape.txt',
  'two\nlines.txt',
  `${'long'.repeat(60)}.txt`,
];

export function writeHostileFiles(folder: string): void {
  mkdirSync(join(folder, '\u202e<b data-hostile>'), { recursive: true });
  writeFileSync(join(folder, '\u202e<b data-hostile>', 'inside.txt'), 'inside');
  for (const name of hostileFiles) writeFileSync(join(folder, name), name);
}

const longText = `${hostileText('long')} ${'x'.repeat(10_000)}`;
const log = hostileText('log').replaceAll('\u0000', '');

/** A workload that runs, and says something hostile in every field in which the API server lets it. */
export function hostileDeployment(namespace: string, name: string): unknown {
  const labels = { app: name, 'app.kubernetes.io/managed-by': 'Helm' };
  const annotations = {
    'meta.helm.sh/release-name': hostileText('release'),
    'meta.helm.sh/release-namespace': hostileText('release-namespace'),
    'argocd.argoproj.io/tracking-id': `${hostileText('application')}:apps/Deployment:${namespace}/${name}`,
    'kubectl.kubernetes.io/default-container': hostileText('container'),
    long: longText,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels, annotations },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels, annotations },
        spec: {
          terminationGracePeriodSeconds: 1,
          volumes: [{ name: 'data', emptyDir: {} }],
          containers: [
            {
              name: 'web',
              image: 'sandbox/web:1',
              command: ['/bin/sh', '-c'],
              args: [
                'printf "%s\\n" "$HOSTILE" "$LONG"; exec httpd -f -p 8080 -h /app',
                hostileText('argument'),
              ],
              env: [
                { name: 'HOSTILE', value: log },
                { name: 'LONG', value: longText },
                { name: '<img_data-hostile>', value: 'in a name' },
              ],
              ports: [{ containerPort: 8080 }],
              volumeMounts: [{ name: 'data', mountPath: '/<img data-hostile src=x>\u202emount' }],
              readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  };
}

/** A pod that no node takes, so that its status is what we write. */
export async function makeHostilePod(namespace: string, name: string): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'pod' } },
    spec: {
      schedulingGates: [{ name: 'slipway.dev/never' }],
      containers: [{ name: 'web', image: `nowhere/${hostileStart}` }],
    },
  };
  await apply(pod);
  const status = {
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: hostileText('reason'),
        message: hostileText('message'),
      },
    ],
  };
  await kubectlWithInput(
    '',
    ...['-n', namespace, 'patch', 'pod', name, '--subresource=status', '--type=merge', '-p'],
    JSON.stringify({ status }),
  );
}

export function hostileEvent(namespace: string, kind: string, name: string): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `hostile-${name}`, namespace },
    involvedObject: { kind, name, namespace, apiVersion: 'apps/v1' },
    type: 'Warning',
    reason: hostileText('event-reason').slice(0, 128),
    message: hostileText('event-message'),
    source: { component: hostileText('component') },
    count: 1,
    firstTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
    lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
  };
}

/** Leftovers of sessions that never were: one whose record can be read, one that is hostile throughout. */
export function hostileLeases(namespace: string, target: string, uid: string): readonly unknown[] {
  const record = {
    version: 1,
    session: 'hostile1',
    project: hostileText('project').slice(0, 1000),
    user: hostileText('user').slice(0, 1000),
    machine: hostileText('machine').slice(0, 1000),
    createdAt: new Date().toISOString(),
    namespace,
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: target, uid },
    container: 'web',
    changes: [{ path: '/spec/replicas', from: 2, to: 0 }],
    readyBefore: 1,
    formerOwners: [
      { manager: hostileText('manager').slice(0, 1000), operation: 'Update', apiVersion: 'apps/v1' },
    ],
    devObject: { name: `${target}-dev` },
    before: {
      specHash: hostileText('hash').slice(0, 64),
      images: { web: hostileText('image').slice(0, 1000) },
    },
    exclusive: false,
  };
  const lease = (name: string, session: string, annotations: Readonly<Record<string, string>>): unknown => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'slipway', 'slipway.dev/session': session },
      annotations,
    },
    spec: { holderIdentity: hostileText('holder'), leaseDurationSeconds: 60 },
  });
  const said = {
    'slipway.dev/user': hostileText('user'),
    'slipway.dev/machine': hostileText('machine'),
    'slipway.dev/created-at': hostileText('created'),
    'slipway.dev/target': hostileText('target'),
  };
  return [
    // Where the session of this workload would have its own.
    lease(`slipway-deployment-${target}`, 'hostile1', {
      ...said,
      'slipway.dev/changes': JSON.stringify(record),
    }),
    lease('hostile', 'hostile2', { ...said, 'slipway.dev/changes': longText }),
  ];
}

/** What another tool might have left, with its own annotations turned against whoever reads them. */
export function hostileReplacement(namespace: string): unknown {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'other-devspace',
      namespace,
      labels: { 'devspace.sh/replaced': 'true' },
      annotations: {
        'devspace.sh/parent-kind': 'Deployment',
        'devspace.sh/parent-name': hostileText('parent'),
        'devspace.sh/replicas': hostileText('replicas'),
      },
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'other' } },
      template: {
        metadata: { labels: { app: 'other' } },
        spec: { containers: [{ name: 'web', image: 'sandbox/web:1' }] },
      },
    },
  };
}
