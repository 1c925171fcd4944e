import type { Duplex, Readable, Writable } from 'node:stream';
import type { KubernetesObject } from '@kubernetes/client-node';

/** What the REST paths of one kind of object are made of. */
export interface ResourceType {
  /** API group, empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bound on the whole call; 15 s unless said otherwise. */
  readonly timeoutMs?: number | undefined;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly subresource?: string | undefined;
}

export type Patch =
  | { readonly kind: 'merge' | 'strategic'; readonly body: unknown }
  | { readonly kind: 'json'; readonly body: readonly unknown[] }
  | { readonly kind: 'apply'; readonly body: unknown; readonly force?: boolean };

export interface DeleteOptions extends CallOptions {
  /** Refused by the server with a conflict when the object is another one by now. */
  readonly uid?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

/** `reset` carries the complete list: sent first, and again after each relist. `stale` says that the connection is lost since then. */
export type WatchEvent<T> =
  | { readonly kind: 'reset'; readonly items: readonly T[] }
  | { readonly kind: 'added' | 'modified' | 'deleted'; readonly object: T }
  | { readonly kind: 'stale'; readonly error: Error };

export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly name?: string | undefined;
  /** Undefined asks for the whole cluster. */
  readonly namespace?: string | undefined;
}

export type AccessAnswer =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface PodTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | undefined;
}

export interface ExecOptions {
  readonly command: readonly string[];
  readonly stdin?: boolean | undefined;
  /** With a terminal, standard error is merged into standard output. */
  readonly tty?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ExecStatus =
  | { readonly kind: 'exited'; readonly code: number }
  /** The server could not run it or says it failed without an exit code. */
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  /** The connection went away before a status: what the command did is unknown. */
  | { readonly kind: 'lost'; readonly error: Error };

/**
 * One command running in a container. All streams have back-pressure from end to end; one stalled reader
 * pauses the whole connection. On a lost connection `stdout` and `stderr` are destroyed with an error of code
 * `stream.lost`; on a status they end. A write after the peer is gone fails with the same code.
 */
export interface ExecStream extends AsyncDisposable {
  /** Undefined unless asked for. `end()` half-closes when `canHalfClose`, otherwise it is an error. */
  readonly stdin?: Writable | undefined;
  readonly stdout: Readable;
  /** Undefined with a terminal. */
  readonly stderr?: Readable | undefined;
  readonly canHalfClose: boolean;
  /** Never rejects. Resolves before the streams are drained; exit code 0 proves nothing about transferred bytes. */
  readonly status: Promise<ExecStatus>;
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Closes the connection. The command may outlive it: see its process by itself where that matters. */
  kill(): void;
}

export interface LogOptions {
  readonly follow?: boolean | undefined;
  readonly previous?: boolean | undefined;
  readonly timestamps?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A user as the server sees them (SelfSubjectReview). */
export interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
}

export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  readonly gitVersion: string;
}

/**
 * One cluster seen with one context's credentials. Every request leaves through `request.ts`. Failures are
 * `SlipwayError`s with a `cluster.*`, `credential.*` or `stream.*` code and the server's own words as cause.
 */
export interface Kube extends AsyncDisposable {
  readonly contextName: string;
  /** The namespace that the context names, `default` when it names none. */
  readonly defaultNamespace: string;
  readonly server: string;

  get<T extends KubernetesObject>(
    type: ResourceType,
    key: { namespace?: string; name: string },
    options?: CallOptions & { subresource?: string },
  ): Promise<T>;
  /** Pages through everything, 500 objects a page. */
  list<T extends KubernetesObject>(
    type: ResourceType,
    namespace: string | undefined,
    options?: ListOptions,
  ): Promise<ObjectList<T>>;
  create<T extends KubernetesObject>(
    type: ResourceType,
    namespace: string | undefined,
    object: unknown,
    options?: WriteOptions,
  ): Promise<T>;
  replace<T extends KubernetesObject>(
    type: ResourceType,
    key: { namespace?: string; name: string },
    object: unknown,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubernetesObject>(
    type: ResourceType,
    key: { namespace?: string; name: string },
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  delete(
    type: ResourceType,
    key: { namespace?: string; name: string },
    options?: DeleteOptions,
  ): Promise<void>;
  /** List, then watch with bookmarks; relists by itself when history is gone, retries with jittered backoff until disposed. */
  watch<T extends KubernetesObject>(
    type: ResourceType,
    namespace: string | undefined,
    options: ListOptions,
    listener: (event: WatchEvent<T>) => void,
  ): AsyncDisposable;
  /** GET of any path; the answer's text. */
  raw(path: string, options?: CallOptions): Promise<string>;

  exec(target: PodTarget, options: ExecOptions): Promise<ExecStream>;
  attach(target: PodTarget, options: Omit<ExecOptions, 'command'>): Promise<ExecStream>;
  /** One connection to a port of the pod. Legacy forward has no half-close: ending the writable side ends nothing remotely until the stream is destroyed. */
  forward(
    target: { readonly namespace: string; readonly pod: string; readonly port: number },
    options?: { signal?: AbortSignal },
  ): Promise<Duplex>;
  logs(target: PodTarget, options?: LogOptions): Promise<Readable>;

  review(attributes: AccessAttributes, options?: CallOptions): Promise<AccessAnswer>;
  whoAmI(options?: CallOptions): Promise<Identity>;
  version(options?: CallOptions): Promise<ServerVersion>;
}
