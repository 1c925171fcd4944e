import { describe, expect, it } from 'vitest';
import type { V1Deployment } from '@kubernetes/client-node';
import { SlipwayError } from '../base/errors.ts';
import { buildDevObject, withSession } from './dev-object.ts';
import { boundedName, devName, leaseName, projectLabel } from './names.ts';
import { chooseContainer, type ContainerChanges } from './plan.ts';

const probe = { httpGet: { path: '/', port: 8080 } };
const target: V1Deployment = {
  metadata: {
    name: 'web',
    namespace: 't',
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'shop' },
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: {
        labels: { app: 'web', 'pod-template-hash': 'abc' },
        annotations: {
          'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z',
          'prometheus.io/scrape': 'true',
        },
      },
      spec: {
        imagePullSecrets: [{ name: 'r' }],
        serviceAccountName: 'shop',
        automountServiceAccountToken: false,
        initContainers: [
          { name: 'wait', image: 'i' },
          { name: 'proxy', image: 'p', restartPolicy: 'Always' },
        ],
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            name: 'web',
            image: 'shop:1',
            args: ['--prod'],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            livenessProbe: probe,
            startupProbe: probe,
            readinessProbe: probe,
          },
          { name: 'side', image: 'side:1', livenessProbe: probe },
        ],
      },
    },
  },
};

function build(changes: ContainerChanges = {}) {
  return buildDevObject(target, { container: 'web', project: 'shop', changes });
}

describe('the dev object', () => {
  it('has the labels of the pods and none of the object', () => {
    const { manifest } = build();
    expect(manifest.metadata?.labels).toEqual({
      'app.kubernetes.io/managed-by': 'slipway',
      'slipway.dev/project': 'shop',
    });
    expect(manifest.metadata?.annotations).toEqual({ 'slipway.dev/target': 'Deployment/web' });
    expect(manifest.spec?.template.metadata).toEqual({
      labels: { app: 'web' },
      annotations: { 'prometheus.io/scrape': 'true' },
    });
  });

  it('selects its own pods alone', () => {
    const { spec } = withSession(build().manifest, 'abc', {});
    expect(spec?.selector).toEqual({ matchLabels: { 'slipway.dev/session': 'abc' } });
    expect(spec?.template.metadata?.labels).toEqual({ app: 'web', 'slipway.dev/session': 'abc' });
  });

  it('drops the probes that restart, of the dev container only, and says so', () => {
    const { manifest, diff, droppedProbes } = build();
    const [web, side] = manifest.spec?.template.spec?.containers ?? [];
    expect(web).toEqual({
      name: 'web',
      image: 'shop:1',
      args: ['--prod'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
      readinessProbe: probe,
    });
    expect(side).toEqual({ name: 'side', image: 'side:1', livenessProbe: probe });
    expect(droppedProbes).toEqual(['livenessProbe', 'startupProbe']);
    expect(diff.map(({ path }) => path)).toEqual([
      'containers[web].livenessProbe',
      'containers[web].startupProbe',
      'terminationGracePeriodSeconds',
    ]);
  });

  it('keeps everything else of the pod', () => {
    const { spec } = build().manifest.spec!.template;
    const original = target.spec?.template.spec;
    expect({ ...spec, containers: [] }).toEqual({
      ...original,
      containers: [],
      terminationGracePeriodSeconds: 5,
    });
  });

  it('changes what was asked for, and shows no values of the environment', () => {
    const { manifest, diff } = build({
      image: 'dev:1',
      command: ['sleep', 'infinity'],
      env: [
        { name: 'B', value: 'secret' },
        { name: 'C', value: '3' },
      ],
      workingDir: '/src',
    });
    expect(manifest.spec?.template.spec?.containers[0]).toEqual({
      name: 'web',
      image: 'dev:1',
      command: ['sleep', 'infinity'],
      workingDir: '/src',
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: 'secret' },
        { name: 'C', value: '3' },
      ],
      readinessProbe: probe,
    });
    expect(diff.slice(0, 4).map(({ path, from, to }) => [path, from, to])).toEqual([
      ['containers[web].image', 'shop:1', 'dev:1'],
      ['containers[web].command', '(of the image)', '["sleep","infinity"]'],
      ['containers[web].args', '["--prod"]', '(none)'],
      ['containers[web].workingDir', '(none)', '/src'],
    ]);
    expect(JSON.stringify(diff)).not.toContain('secret');
  });

  it('leaves the target as it was read', () => {
    const before = structuredClone(target);
    build({ image: 'dev:1', env: [{ name: 'A', value: 'x' }] });
    expect(target).toEqual(before);
  });
});

describe('the dev container', () => {
  const choose = (asked?: string): string => {
    try {
      return chooseContainer(target.spec?.template.spec, asked, 't/web');
    } catch (error) {
      return error instanceof SlipwayError
        ? `${error.code}: ${error.message} ${error.causeText}`
        : String(error);
    }
  };

  it.each([
    ['web', 'web'],
    ['side', 'side'],
    [
      undefined,
      'workload.container-unknown: t/web has 2 containers, and none was chosen. Its containers are web, side.',
    ],
    ['c', 'workload.container-unknown: t/web has no container c. Its containers are web, side.'],
    [
      'wait',
      'workload.container-unknown: wait of t/web is an init container, which ends before the dev container starts. Its containers are web, side.',
    ],
  ])('asked for as %j is %s', (asked, expected) => {
    expect(choose(asked)).toBe(expected);
  });

  it('is the only one when none was asked for', () => {
    expect(chooseContainer({ containers: [{ name: 'only' }] }, undefined, 't/web')).toBe('only');
  });
});

describe('names', () => {
  it('stay unique and short enough for label values', () => {
    const long = 'a'.repeat(70);
    expect(devName('web')).toBe('web-dev');
    expect(devName(long)).toHaveLength(63);
    expect(devName(long)).toMatch(/^a+-[0-9a-f]{8}-dev$/);
    expect(devName(`${long}b`)).not.toBe(devName(long));
    expect(boundedName(`${'a'.repeat(49)}-.b${'c'.repeat(30)}`, '-dev')).not.toContain('-.-');
    expect(leaseName('Deployment', 'web')).toBe('slipway-deployment-web');
  });

  it.each([
    ['shop', 'shop'],
    ['My App', 'h-'],
    ['', 'h-'],
    ['größe', 'h-'],
    ['-x', 'h-'],
    ['x'.repeat(64), 'h-'],
  ])('of the project %j makes a valid label', (project, start) => {
    expect(projectLabel(project)).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
    expect(projectLabel(project).startsWith(start)).toBe(true);
  });
});
