import type { V1Container, V1Deployment, V1EnvVar, V1PodSpec } from '@kubernetes/client-node';
import { SlipwayError } from '../base/errors.ts';
import { devName, keys, managedByValue, projectLabel } from './names.ts';
import type { ContainerChanges } from './plan.ts';

/** One difference between the workload's pods and the dev pod. */
export interface PodChange {
  /** Like `containers[web].image`. */
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

interface DevObjectRequest {
  readonly container: string;
  readonly project: string;
  readonly changes: ContainerChanges;
}

interface DevObject {
  /** Without what identifies the session: {@link withSession} adds it. Starts with 0 replicas. */
  readonly manifest: V1Deployment;
  readonly diff: readonly PodChange[];
  readonly droppedProbes: readonly ('livenessProbe' | 'startupProbe')[];
}

/** A dev pod serves one person; Stop should not wait half a minute for a shell that ignores SIGTERM. */
const devGraceSeconds = 5;

const nothing = '(none)';
/** Set by a restart, of this object and at that time: it says nothing about the dev pod. */
const restartAnnotation = /(^|\/)restartedAt$/;

/**
 * The Deployment that stands in for the target while a session runs. It takes the labels of the target's pod
 * template and never those of the object: an owner that finds its objects by label (Helm, Argo CD, Flux) would
 * take the dev object for one of its own. Services find the dev pod by the template's labels. The target's
 * ReplicaSets do not adopt it, because they also select `pod-template-hash`, and its own owner is recorded.
 */
export function buildDevObject(target: V1Deployment, request: DevObjectRequest): DevObject {
  const template = target.spec?.template;
  const diff: PodChange[] = [];
  const droppedProbes: DevObject['droppedProbes'][number][] = [];
  const containers = (template?.spec?.containers ?? []).map((container) => {
    if (container.name !== request.container) return container;
    const changed = changeContainer(container, request.changes, diff);
    for (const probe of ['livenessProbe', 'startupProbe'] as const) {
      if (container[probe] !== undefined) droppedProbes.push(probe);
    }
    return withoutProbes(changed, diff);
  });
  const labels = omit(template?.metadata?.labels ?? {}, (key) => key === 'pod-template-hash');
  const annotations = omit(template?.metadata?.annotations ?? {}, (key) => restartAnnotation.test(key));
  const targetName = target.metadata?.name ?? '';
  const manifest: V1Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: devName(targetName),
      ...(target.metadata?.namespace === undefined ? {} : { namespace: target.metadata.namespace }),
      labels: { [keys.managedBy]: managedByValue, [keys.project]: projectLabel(request.project) },
      annotations: { [keys.target]: `Deployment/${targetName}` },
    },
    spec: {
      replicas: 0,
      revisionHistoryLimit: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: {} },
      template: {
        metadata: { labels, annotations },
        spec: shortGrace({ ...(template?.spec ?? {}), containers }, diff),
      },
    },
  };
  return { manifest, diff, droppedProbes };
}

/** The manifest of one session: its label finds the object, and alone selects its pods. */
export function withSession(
  manifest: V1Deployment,
  session: string,
  annotations: Readonly<Record<string, string>>,
): V1Deployment {
  const label = { [keys.session]: session };
  const template = manifest.spec?.template;
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      labels: { ...manifest.metadata?.labels, ...label },
      annotations: { ...manifest.metadata?.annotations, ...annotations },
    },
    spec: {
      ...manifest.spec,
      selector: { matchLabels: label },
      template: {
        ...template,
        metadata: { ...template?.metadata, labels: { ...template?.metadata?.labels, ...label } },
      },
    },
  };
}

function changeContainer(container: V1Container, changes: ContainerChanges, diff: PodChange[]): V1Container {
  const path = (field: string): string => `containers[${container.name}].${field}`;
  const asked = 'asked for';
  let result = container;
  if (changes.image !== undefined && changes.image !== container.image) {
    diff.push({ path: path('image'), from: container.image ?? nothing, to: changes.image, why: asked });
    result = { ...result, image: changes.image };
  }
  for (const field of ['command', 'args'] as const) {
    const value = changes[field];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(container[field])) continue;
    diff.push({ path: path(field), from: list(container[field]), to: list(value), why: asked });
    result = { ...result, [field]: [...value] };
  }
  // The workload's arguments belong to its own command.
  if (changes.command !== undefined && changes.args === undefined && container.args !== undefined) {
    diff.push({
      path: path('args'),
      from: list(container.args),
      to: nothing,
      why: 'they belong to the former command',
    });
    result = omitFields(result, ['args']);
  }
  if (changes.wrapper !== undefined) result = wrapCommand(result, changes.wrapper, diff);
  if (changes.workingDir !== undefined && changes.workingDir !== container.workingDir) {
    const from = container.workingDir ?? nothing;
    diff.push({ path: path('workingDir'), from, to: changes.workingDir, why: asked });
    result = { ...result, workingDir: changes.workingDir };
  }
  return changes.env === undefined || changes.env.length === 0
    ? result
    : { ...result, env: mergeEnv(container, changes.env, diff) };
}

/** An image's own command is not known to us, so there has to be one of the workload or of the developer. */
function wrapCommand(container: V1Container, wrapper: readonly string[], diff: PodChange[]): V1Container {
  if (container.command === undefined || container.command.length === 0) {
    throw new SlipwayError({
      code: 'usage.invalid',
      message: `What ${container.name} runs cannot be put below the restart helper.`,
      cause: 'Neither the workload nor you name a command, and the one of the image is not known.',
      next: 'Name it with --command, for example --command "node server.js".',
    });
  }
  const command = [...wrapper, ...container.command, ...(container.args ?? [])];
  diff.push({
    path: `containers[${container.name}].command`,
    from: list([...container.command, ...(container.args ?? [])]),
    to: 'the same, below the restart helper',
    why: 'so that an upload can restart it',
  });
  return omitFields({ ...container, command }, ['args']);
}

/** Values are not shown in the diff: an environment is where secrets are. */
function mergeEnv(
  container: V1Container,
  asked: NonNullable<ContainerChanges['env']>,
  diff: PodChange[],
): V1EnvVar[] {
  const result = [...(container.env ?? [])];
  for (const variable of asked) {
    const index = result.findIndex((existing) => existing.name === variable.name);
    const from = index < 0 ? nothing : '(set)';
    diff.push({
      path: `containers[${container.name}].env[${variable.name}]`,
      from,
      to: '(set)',
      why: 'asked for',
    });
    if (index < 0) result.push({ ...variable });
    else result[index] = { ...variable };
  }
  return result;
}

function withoutProbes(container: V1Container, diff: PodChange[]): V1Container {
  const path = (probe: string): string => `containers[${container.name}].${probe}`;
  const why = 'it would restart the container at a breakpoint or before your process runs';
  for (const probe of ['livenessProbe', 'startupProbe'] as const) {
    if (container[probe] !== undefined) diff.push({ path: path(probe), from: '(set)', to: nothing, why });
  }
  return omitFields(container, ['livenessProbe', 'startupProbe']);
}

function shortGrace(spec: V1PodSpec, diff: PodChange[]): V1PodSpec {
  const grace = spec.terminationGracePeriodSeconds ?? 30;
  if (grace <= devGraceSeconds) return spec;
  diff.push({
    path: 'terminationGracePeriodSeconds',
    from: String(grace),
    to: String(devGraceSeconds),
    why: 'so that Stop is quick',
  });
  return { ...spec, terminationGracePeriodSeconds: devGraceSeconds };
}

function list(values: readonly string[] | undefined): string {
  return values === undefined ? '(of the image)' : JSON.stringify(values);
}

function omit(
  record: Readonly<Record<string, string>>,
  drop: (key: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !drop(key)));
}

function omitFields(container: V1Container, fields: readonly (keyof V1Container)[]): V1Container {
  const dropped = new Set<string>(fields);
  return Object.fromEntries(
    Object.entries(container).filter(([key]) => !dropped.has(key)),
  ) as unknown as V1Container;
}
