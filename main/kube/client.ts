import type { KubernetesObject } from '@kubernetes/client-node';
import { z } from 'zod';
import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { parseAnswer } from './answer.ts';
import { describeResource, resourcePath } from './api-paths.ts';
import { createCredentials } from './credentials.ts';
import type { PluginConsent, PluginInteraction } from './exec-plugin.ts';
import type {
  DeleteOptions,
  Identity,
  Kube,
  Patch,
  ResourceType,
  ServerVersion,
  WriteOptions,
} from './kube.ts';
import type { Selection } from './kubeconfig-select.ts';
import { listAll } from './list.ts';
import { loginShellPath } from './login-shell.ts';
import { createProbe } from './probe.ts';
import type { Environment } from './proxy.ts';
import { createTransport } from './request.ts';
import type { TransportBounds } from './request.ts';
import type { KubeTransport, Query } from './transport.ts';
import { startWatch } from './watch.ts';
import type { WatchBounds, WatchOptions } from './watch.ts';

/** The calls that open a stream into a pod. */
export type KubeStreams = Pick<Kube, 'exec' | 'attach' | 'forward' | 'logs'>;

export interface KubeOptions {
  readonly selection: Selection;
  /** PATH for plugins, and the proxy variables. */
  readonly environment: Environment;
  readonly clock?: Clock | undefined;
  /** Undefined when a plugin can ask nobody. */
  readonly interaction?: PluginInteraction | undefined;
  /** Asked before a plugin runs; undefined when it may run as under kubectl. */
  readonly consent?: PluginConsent | undefined;
  readonly bounds?: Partial<TransportBounds> | undefined;
  readonly watchBounds?: Partial<WatchBounds> | undefined;
  readonly streams: (transport: KubeTransport) => KubeStreams;
  readonly review: (transport: KubeTransport) => Kube['review'];
}

/** The name under which the server remembers our fields. */
export const defaultFieldManager = 'slipway';

/** One cluster with one context's credentials. Connects to nothing, and runs no plugin, before the first call. */
export function createKube(options: KubeOptions): Kube {
  const { selection, environment, clock = systemClock } = options;
  const credentials = createCredentials({
    selection,
    environment,
    clock,
    interaction: options.interaction,
    consent: options.consent,
    fallbackPath: () => loginShellPath({ environment }),
  });
  const transport = createTransport({ selection, credentials, environment, clock, bounds: options.bounds });
  const watches = createWatches(transport, clock, options.watchBounds);
  return {
    ...createCalls(transport),
    ...options.streams(transport),
    review: options.review(transport),
    contextName: selection.contextName,
    defaultNamespace: selection.namespace,
    server: transport.server,
    watch: watches.watch,
    async [Symbol.asyncDispose]() {
      await watches[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
}

type Calls = Pick<
  Kube,
  'get' | 'list' | 'create' | 'replace' | 'patch' | 'delete' | 'raw' | 'whoAmI' | 'version'
>;
interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** The plain calls over a transport. */
export function createCalls(transport: KubeTransport): Calls {
  const on = (
    type: ResourceType,
    key: ObjectKey,
    subresource?: string,
  ): { path: string; subject: string } => ({
    path: resourcePath(type, { ...key, subresource }),
    subject: describeResource(type, { ...key, subresource }),
  });
  return {
    get: async <T extends KubernetesObject>(
      type: ResourceType,
      key: ObjectKey,
      { subresource, ...call }: Parameters<Kube['get']>[2] = {},
    ) => (await transport.json({ ...call, ...on(type, key, subresource) })) as T,
    list: (type, namespace, call = {}) => listAll(transport, type, namespace, call),
    create: async <T extends KubernetesObject>(
      type: ResourceType,
      namespace: string | undefined,
      object: unknown,
      options: WriteOptions = {},
    ) => {
      const name = nameOf(object);
      const path = resourcePath(type, {
        namespace,
        name: options.subresource === undefined ? undefined : name,
        subresource: options.subresource,
      });
      const subject = describeResource(type, { namespace, name, subresource: options.subresource });
      return (await transport.json({
        ...call(options),
        method: 'POST',
        path,
        subject,
        query: writeQuery(options),
        body: object,
      })) as T;
    },
    replace: async <T extends KubernetesObject>(
      type: ResourceType,
      key: ObjectKey,
      object: unknown,
      options: WriteOptions = {},
    ) =>
      (await transport.json({
        ...call(options),
        ...on(type, key, options.subresource),
        method: 'PUT',
        query: writeQuery(options),
        body: object,
      })) as T,
    patch: async <T extends KubernetesObject>(
      type: ResourceType,
      key: ObjectKey,
      patch: Patch,
      options: WriteOptions = {},
    ) => {
      const force: Query = patch.kind === 'apply' && patch.force ? [['force', 'true']] : [];
      return (await transport.json({
        ...call(options),
        ...on(type, key, options.subresource),
        method: 'PATCH',
        query: [...writeQuery(options), ...force],
        contentType: patchTypes[patch.kind],
        body: patch.body,
      })) as T;
    },
    delete: async (type, key, options = {}) => {
      await transport.text({
        ...call(options),
        ...on(type, key),
        method: 'DELETE',
        body: deleteBody(options),
      });
    },
    raw: (path, options = {}) => {
      const [name = '', search = ''] = splitOnce(path.startsWith('/') ? path : `/${path}`, '?');
      return transport.text({
        ...call(options),
        path: name,
        query: [...new URLSearchParams(search)],
        accept: 'application/json, */*',
      });
    },
    whoAmI: async (options = {}) => {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const subject = 'your own identity';
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const answer = await transport.json({
        ...call(options),
        method: 'POST',
        path,
        subject: 'your own identity',
        body,
      });
      return parseAnswer(identitySchema, answer, transport.server, subject).status.userInfo;
    },
    version: async (options = {}) => {
      const answer = await transport.json({
        ...call(options),
        path: '/version',
        subject: 'the version of the server',
      });
      return versionSchema.parse(answer);
    },
  };
}

function createWatches(
  transport: KubeTransport,
  clock: Clock,
  bounds: Partial<WatchBounds> | undefined,
): Pick<Kube, 'watch'> & AsyncDisposable {
  const probe = createProbe(transport, clock);
  const open = new Set<AsyncDisposable>();
  return {
    watch(type, namespace, selectors, listener) {
      const list = (signal: AbortSignal): ReturnType<typeof listAll> =>
        listAll(transport, type, namespace, { ...selectors, signal });
      const started = startWatch({
        transport,
        clock,
        list,
        type,
        namespace,
        selectors,
        probe,
        bounds,
        listener,
      } as WatchOptions<KubernetesObject>);
      open.add(started);
      return {
        async [Symbol.asyncDispose]() {
          open.delete(started);
          await started[Symbol.asyncDispose]();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map((started) => started[Symbol.asyncDispose]()));
    },
  };
}

const patchTypes: Readonly<Record<Patch['kind'], string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  // Every JSON text is YAML.
  apply: 'application/apply-patch+yaml',
};

const identitySchema = z.object({
  status: z.object({
    userInfo: z
      .object({ username: z.string().default(''), groups: z.array(z.string()).default([]) })
      .transform((info): Identity => info),
  }),
});

const versionSchema = z
  .object({ major: z.string(), minor: z.string(), gitVersion: z.string() })
  .transform(({ major, minor, gitVersion }): ServerVersion => ({
    major: leadingNumber(major),
    minor: leadingNumber(minor),
    gitVersion,
  }));

/** Some providers write `34+`. */
function leadingNumber(text: string): number {
  return Number(/^\d+/.exec(text)?.[0] ?? 0);
}

function call({ signal, timeoutMs }: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined }): {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
} {
  return { signal, timeoutMs };
}

function writeQuery(options: WriteOptions): Query {
  return [
    ['fieldManager', options.fieldManager ?? defaultFieldManager],
    ...(options.dryRun ? [['dryRun', 'All'] as const] : []),
  ];
}

function deleteBody(options: DeleteOptions): unknown {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(options.uid === undefined ? {} : { preconditions: { uid: options.uid } }),
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.propagation === undefined ? {} : { propagationPolicy: options.propagation }),
  };
}

function nameOf(object: unknown): string | undefined {
  const named = z.object({ metadata: z.object({ name: z.string().min(1) }) }).safeParse(object);
  return named.success ? named.data.metadata.name : undefined;
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
