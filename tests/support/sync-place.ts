import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionEvent } from '../../contract/session-events.ts';
import { containerRoot } from '../../sandbox/client.ts';
import { apply, kubectl, makeNamespace } from './kubectl.ts';
import { RunningSlipway, slipway } from './slipway.ts';
import type { ProcessResult } from './kubectl.ts';

type EventOf<Name extends SessionEvent['event']> = Extract<SessionEvent, { event: Name }>;

/** A test's own folder here, its own folder in a container that is shared, and its own state. */
export class SyncPlace implements Disposable {
  readonly #scratch = mkdtempSync(join(tmpdir(), 'slipway-sync-'));
  readonly #namespace: string;
  readonly #pod: string;
  readonly #kubeconfig: string | undefined;
  readonly home = join(this.#scratch, 'home');
  readonly local: string;
  /** The folder as the container names it. */
  readonly remotePath: string;
  readonly container: string;

  constructor(
    namespace: string,
    pod: string,
    options: {
      readonly local?: string;
      readonly remotePath?: string;
      readonly container?: string;
      readonly kubeconfig?: string;
    } = {},
  ) {
    this.#kubeconfig = options.kubeconfig;
    this.#namespace = namespace;
    this.#pod = pod;
    this.container = options.container ?? 'main';
    this.local = join(this.#scratch, options.local ?? 'p');
    mkdirSync(this.local, { recursive: true });
    this.remotePath = options.remotePath ?? `/pairs/${this.#scratch.slice(-6)}`;
    mkdirSync(this.remote(), { recursive: true });
  }

  /** A path below this machine's folder. */
  here(path = ''): string {
    return join(this.local, path);
  }

  /** A path below the container's folder, as this machine reaches it. */
  remote(path = ''): string {
    return join(this.root, this.remotePath, path);
  }

  /** Beside the folder of this machine. */
  scratch(path: string): string {
    return join(this.#scratch, path);
  }

  /** The container's root as this machine sees it. */
  get root(): string {
    return containerRoot(this.#namespace, this.#pod, this.container);
  }

  arguments(
    flags: readonly string[],
    paths: readonly string[] = [`${this.local}:${this.remotePath}`],
  ): string[] {
    return [
      'sync',
      ...['-n', this.#namespace, '--pod', this.#pod, '--container', this.container],
      ...paths.flatMap((path) => ['--path', path]),
      ...flags,
    ];
  }

  /** A sync that runs, not yet ready. */
  begin(...flags: readonly string[]): RunningSlipway {
    return this.launch(this.arguments(flags));
  }

  /** Any command with this place's state. */
  launch(args: readonly string[], cwd?: string): RunningSlipway {
    const kubeconfig = this.#kubeconfig === undefined ? {} : { kubeconfig: this.#kubeconfig };
    return new RunningSlipway(
      { home: this.home, ...kubeconfig, ...(cwd === undefined ? {} : { cwd }) },
      args,
    );
  }

  async start(...flags: readonly string[]): Promise<RunningSlipway> {
    const sync = this.begin(...flags);
    try {
      await sync.ready();
      return sync;
    } catch (error) {
      await sync[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A sync that ends by itself. */
  run(...flags: readonly string[]): Promise<ProcessResult> {
    return slipway({ home: this.home }, ...this.arguments([...flags, '--json']));
  }

  /** Everything in the laptop's trash. */
  trashed(): string[] {
    const found: string[] = [];
    for (const pair of readdirSync(join(this.home, 'sync'))) {
      const folder = join(this.home, 'sync', pair, 'trash');
      try {
        const names = readdirSync(folder).filter((name) => !name.endsWith('.json'));
        found.push(...names.map((name) => readFileSync(join(folder, name), 'utf8')));
      } catch {
        // Nothing was thrown away yet.
      }
    }
    return found;
  }

  [Symbol.dispose](): void {
    try {
      rmSync(this.remote(), { recursive: true, force: true });
    } catch {
      // The container is gone, and its files with it.
    }
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

/** What happened of one kind, counting from `since`. */
export function eventsOf<Name extends SessionEvent['event']>(
  sync: RunningSlipway,
  name: Name,
  since = 0,
): EventOf<Name>[] {
  return sync.events.slice(since).filter((event): event is EventOf<Name> => event.event === name);
}

export function held(sync: RunningSlipway, options: { timeoutMs?: number; since?: number } = {}) {
  return sync.waitFor((event) => event.event === 'held', options);
}

/** Waits until the sync says so, counting from `since`. */
export function health(sync: RunningSlipway, message: RegExp, since = 0, timeoutMs = 30_000) {
  return sync.waitFor(
    (event): event is EventOf<'health'> => event.event === 'health' && message.test(event.message),
    { since, timeoutMs },
  );
}

export interface BarePodOptions {
  readonly image?: string;
  /** Mounts, security settings and so on, of the pod and of its containers. */
  readonly pod?: Readonly<Record<string, unknown>>;
  readonly container?: Readonly<Record<string, unknown>>;
  readonly containers?: readonly string[];
}

/** A pod that does nothing, so that tests can share it. */
export function barePod(namespace: string, name: string, options: BarePodOptions = {}): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: (options.containers ?? ['main']).map((container) => ({
        name: container,
        image: options.image ?? 'sandbox/web:1',
        command: ['sleep', '100000'],
        ...options.container,
      })),
      ...options.pod,
    },
  };
}

/** A namespace with pods that run, deleted at its end. */
export async function podsOf(
  prefix: string,
  make: (namespace: string) => readonly unknown[],
): Promise<{ readonly name: string } & AsyncDisposable> {
  const namespace = await makeNamespace(prefix);
  try {
    await apply(...make(namespace.name));
    await kubectl('-n', namespace.name, 'wait', 'pod', '--all', '--for=condition=Ready', '--timeout=60s');
    return namespace;
  } catch (error) {
    await namespace[Symbol.asyncDispose]();
    throw error;
  }
}
