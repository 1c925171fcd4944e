import type { IncomingMessage } from 'node:http';
import type { KubernetesObject } from '@kubernetes/client-node';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { isCancellation, isSlipwayError, SlipwayError } from '../base/errors.ts';
import { describeResource, resourcePath } from './api-paths.ts';
import { connectionError, parseStatus, statusError } from './errors.ts';
import type { ListOptions, ObjectList, ResourceType, WatchEvent } from './kube.ts';
import { splitLines } from './lines.ts';
import type { KubeTransport, Query } from './transport.ts';
import { WatchedObjects } from './watched-objects.ts';

/** Bounds and rhythm of a watch. */
export interface WatchBounds {
  /** The server ends a watch after a random time between these, in seconds. */
  readonly serverSeconds: readonly [least: number, most: number];
  /**
   * Servers send a bookmark about every minute. When nothing came for twice that long the connection is taken
   * for dead, however alive it looks.
   */
  readonly inactivityMs: number;
  /** After so long without an event the server is asked for a sign of life. */
  readonly probeMs: number;
  readonly lineBytes: number;
  readonly backoffMs: readonly [first: number, most: number];
  /** A watch that lasted this long starts again without a pause. */
  readonly settledMs: number;
  /** More are not kept: as many as a list may have. */
  readonly objects: number;
}

export const defaultWatchBounds: WatchBounds = {
  serverSeconds: [240, 300],
  inactivityMs: 130_000,
  probeMs: 20_000,
  lineBytes: 32 * 1024 * 1024,
  backoffMs: [500, 30_000],
  settledMs: 5_000,
  objects: 200_000,
};

export interface WatchOptions<T> {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  /** Lists everything; see `list.ts`. */
  readonly list: (signal: AbortSignal) => Promise<ObjectList<T>>;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly selectors: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;
  /** Resolves when the server answers anything, rejects when it does not. */
  readonly probe: (signal: AbortSignal) => Promise<void>;
  readonly bounds?: Partial<WatchBounds> | undefined;
  /** Between 0 and 1; `Math.random` unless said otherwise. */
  readonly random?: (() => number) | undefined;
  readonly listener: (event: WatchEvent<T>) => void;
}

/**
 * Keeps telling what there is until disposed. Begins with `reset`. When the connection is lost, `stale` comes at
 * once, and `reset` as soon as the whole is known again: from where the watch stopped if the server still has
 * that history, from a new list otherwise. No error ends it; each is told with `stale` and followed by a jittered,
 * growing pause.
 */
export function startWatch<T extends KubernetesObject>(options: WatchOptions<T>): AsyncDisposable {
  const ended = new AbortController();
  const running = run(options, ended.signal);
  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      await running;
    },
  };
}

/** How a connection ended. */
type Ending =
  /** The server's own time was over. */
  | { readonly kind: 'finished' }
  /** The history after our resource version is gone. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'lost'; readonly error: Error };

async function run<T extends KubernetesObject>(options: WatchOptions<T>, signal: AbortSignal): Promise<void> {
  const { clock, random = Math.random } = options;
  const bounds = { ...defaultWatchBounds, ...options.bounds };
  const memory = new Memory<T>(options.listener);
  let failures = 0;
  while (!signal.aborted) {
    const started = clock.monotonic();
    const ending = await (memory.version === undefined
      ? relist(options, memory, signal)
      : follow(options, bounds, memory, signal));
    if (signal.aborted) return;
    if (ending === undefined) continue;
    if (ending.kind === 'expired') memory.version = undefined;
    if (ending.kind === 'lost') memory.markStale(ending.error);
    const settled = clock.monotonic() - started >= bounds.settledMs;
    failures = settled ? 0 : failures + 1;
    if (settled && ending.kind === 'finished') continue;
    const [first, most] = bounds.backoffMs;
    const pause = Math.min(most, first * 2 ** Math.min(failures, 16)) * (0.5 + random() / 2);
    await clock.sleep(pause, signal).catch(() => undefined);
  }
}

/** What is known of the objects, and where in the server's history that is. */
class Memory<T extends KubernetesObject> {
  version: string | undefined;
  readonly #watched = new WatchedObjects<T>();
  readonly #listener: (event: WatchEvent<T>) => void;

  constructor(listener: (event: WatchEvent<T>) => void) {
    this.#listener = listener;
  }

  tell(event: WatchEvent<T>): void {
    this.#watched.take(event);
    try {
      this.#listener(event);
    } catch (error) {
      // A bug of the listener's is not a lost connection.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  get size(): number {
    return this.#watched.objects.size;
  }

  markStale(error: Error): void {
    this.tell({ kind: 'stale', error });
  }

  /** The connection is back where it stopped: nothing was missed. */
  markLive(): void {
    if (this.#watched.stale !== undefined)
      this.tell({ kind: 'reset', items: [...this.#watched.objects.values()] });
  }
}

async function relist<T extends KubernetesObject>(
  options: WatchOptions<T>,
  memory: Memory<T>,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  try {
    const { items, resourceVersion } = await options.list(signal);
    signal.throwIfAborted();
    memory.version = resourceVersion;
    memory.tell({ kind: 'reset', items });
    return undefined;
  } catch (error) {
    return lost(options, error);
  }
}

async function follow<T extends KubernetesObject>(
  options: WatchOptions<T>,
  bounds: WatchBounds,
  memory: Memory<T>,
  signal: AbortSignal,
): Promise<Ending> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const life = watchLife(options, bounds, (error) => stop.abort(error));
  try {
    const response = await options.transport.stream({
      path: resourcePath(options.type, { namespace: options.namespace }),
      query: watchQuery(options, bounds, memory.version ?? ''),
      subject: describeResource(options.type, { namespace: options.namespace }),
      signal: either,
    });
    memory.markLive();
    for await (const line of splitLines(arrivals(response, life.seen), bounds.lineBytes)) {
      const ending = take(line, options, memory);
      if (ending !== undefined) return ending;
      if (memory.size > bounds.objects) {
        // A list says it better, should there still be too many.
        memory.version = undefined;
        return { kind: 'lost', error: tooMany(options.type, bounds.objects) };
      }
    }
    return { kind: 'finished' };
  } catch (error) {
    if (isSlipwayError(error, 'cluster.gone')) return { kind: 'expired' };
    return lost(options, stop.signal.aborted ? stop.signal.reason : error);
  } finally {
    life[Symbol.dispose]();
    stop.abort();
  }
}

async function* arrivals(response: IncomingMessage, seen: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    seen();
    yield chunk;
  }
}

const lineSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({
    metadata: z.looseObject({ resourceVersion: z.string().optional() }).optional(),
  }),
});

function take<T extends KubernetesObject>(
  line: string,
  options: WatchOptions<T>,
  memory: Memory<T>,
): Ending | undefined {
  const parsed = lineSchema.safeParse(parseJson(line));
  if (!parsed.success) return { kind: 'lost', error: garbled(options.transport.server) };
  const { type, object } = parsed.data;
  if (type === 'ERROR') {
    const status = parseStatus(500, JSON.stringify(object));
    if (status.code === 410) return { kind: 'expired' };
    const subject = describeResource(options.type, { namespace: options.namespace });
    return { kind: 'lost', error: statusError(status, { method: 'GET', subject }) };
  }
  memory.version = object.metadata?.resourceVersion ?? memory.version;
  // The server vouches for its own objects; what decides on their fields reads them with care.
  const typed = object as unknown as T;
  switch (type) {
    case 'ADDED':
      memory.tell({ kind: 'added', object: typed });
      return undefined;
    case 'MODIFIED':
      memory.tell({ kind: 'modified', object: typed });
      return undefined;
    case 'DELETED':
      memory.tell({ kind: 'deleted', object: typed });
      return undefined;
    case 'BOOKMARK':
      return undefined;
  }
}

/**
 * Notices a connection that is dead without being closed: by silence, and before that by asking the server for a
 * sign of life on another connection.
 */
function watchLife<T>(
  { clock, probe, transport }: WatchOptions<T>,
  bounds: WatchBounds,
  declareDead: (error: Error) => void,
): Disposable & { readonly seen: () => void } {
  const ended = new AbortController();
  let last = clock.monotonic();
  let timer: Disposable;
  const dead = (cause: string, origin?: unknown): void =>
    declareDead(
      isSlipwayError(origin)
        ? origin
        : new SlipwayError({
            code: 'cluster.timeout',
            message: `The cluster at ${transport.server} has gone silent.`,
            cause,
            next: 'It is tried again by itself; check your network or VPN if it stays so.',
          }),
    );
  const check = async (): Promise<void> => {
    const silent = clock.monotonic() - last;
    if (silent >= bounds.inactivityMs) return dead(`Nothing came for ${Math.round(silent / 1000)} s.`);
    if (silent >= bounds.probeMs) {
      try {
        await probe(ended.signal);
      } catch (error) {
        if (!ended.signal.aborted) dead('It does not answer.', error);
        return;
      }
    }
    if (!ended.signal.aborted) timer = clock.timer(bounds.probeMs / 2, () => void check());
  };
  timer = clock.timer(bounds.probeMs / 2, () => void check());
  return {
    seen: () => {
      last = clock.monotonic();
    },
    [Symbol.dispose]() {
      ended.abort();
      timer[Symbol.dispose]();
    },
  };
}

function watchQuery<T>(options: WatchOptions<T>, bounds: WatchBounds, resourceVersion: string): Query {
  const { selectors, random = Math.random } = options;
  const [least, most] = bounds.serverSeconds;
  return [
    ['watch', '1'],
    ['allowWatchBookmarks', 'true'],
    ['resourceVersion', resourceVersion],
    ['timeoutSeconds', String(Math.round(least + random() * (most - least)))],
    ...selectorQuery(selectors),
  ];
}

/** Selectors as query parameters. */
export function selectorQuery(selectors: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>): Query {
  const { labelSelector, fieldSelector } = selectors;
  return [
    ...(labelSelector === undefined ? [] : [['labelSelector', labelSelector] as const]),
    ...(fieldSelector === undefined ? [] : [['fieldSelector', fieldSelector] as const]),
  ];
}

function lost<T>(options: WatchOptions<T>, error: unknown): Ending {
  if (isCancellation(error)) return { kind: 'finished' };
  return { kind: 'lost', error: connectionError(error, options.transport.server, undefined) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function tooMany({ plural }: ResourceType, bound: number): SlipwayError {
  return new SlipwayError({
    code: 'cluster.failed',
    message: `There are too many ${plural} to follow.`,
    cause: `There are more than ${bound}.`,
    next: 'Choose one namespace, or narrow the list with a selector.',
  });
}

function garbled(server: string): SlipwayError {
  return new SlipwayError({
    code: 'cluster.failed',
    message: `The cluster at ${server} sent an event that cannot be read.`,
    cause: 'It is not of the form of a watch event.',
    next: 'It is tried again by itself; check the proxy on the way if it stays so.',
  });
}
