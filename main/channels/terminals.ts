import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Terminal, TerminalSize, terminalTarget } from '../../contract/terminals.ts';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import type { Clusters } from '../clusters/clusters.ts';
import type { ContainerRef } from '../dev/pod-source.ts';
import type { Kube } from '../kube/kube.ts';
import { LiveTerminal, type TerminalPeer } from './live-terminal.ts';
import type { PlaceConnection, TerminalPlace } from './terminal-place.ts';

/** How many shells there may be at once, ended ones included. */
export const maximumTerminals = 32;
/** How long the container of a session is waited for before a shell is refused. */
const containerPatienceMs = 30_000;

/** What shells and logs need to know of sessions. */
export interface SessionContainers {
  /**
   * The container that runs now; waits for one. Rejects `session.not-found`, and for a new shell `cluster.read-only`
   * as the guard says at that moment, whatever the session was allowed when it began.
   */
  containerOf(session: string, signal?: AbortSignal, use?: 'shell'): Promise<SessionContainer>;
}

export interface SessionContainer {
  readonly kube: Kube;
  readonly cluster: string;
  readonly target: ContainerRef;
}

export interface TerminalsOptions {
  readonly clusters: Pick<Clusters, 'kubeFor'>;
  readonly sessions: SessionContainers;
  readonly clock: Clock;
}

type Target = z.output<typeof terminalTarget>;

/** The shells that run in main, by their ids. Windows attach to them and may come and go. */
export class Terminals implements AsyncDisposable {
  readonly list = new Store<{ readonly items: Readonly<Record<string, Terminal>> }>({ items: {} });
  readonly #options: TerminalsOptions;
  readonly #live = new Map<string, LiveTerminal>();
  #opening = 0;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  /** Resolves as soon as it is known where the shell runs; how it goes on is told by the list. */
  async open(target: Target, size: TerminalSize, signal: AbortSignal): Promise<string> {
    if (this.#live.size + this.#opening >= maximumTerminals) throw tooMany();
    this.#opening += 1;
    try {
      const { place, first } = await this.#find(target, signal);
      signal.throwIfAborted();
      const id = randomBytes(8).toString('hex');
      const terminal = new LiveTerminal({ id, place, first, size, clock: this.#options.clock });
      this.#live.set(id, terminal);
      const tell = (): void => {
        if (!this.#live.has(id)) return;
        this.list.update(({ items }) => ({ items: { ...items, [id]: terminal.state.value } }));
      };
      terminal.state.onChange(tell);
      tell();
      return id;
    } finally {
      this.#opening -= 1;
    }
  }

  attach(id: string, peer: TerminalPeer): Promise<void> {
    return this.#get(id).attach(peer);
  }

  restart(id: string, size: TerminalSize): Promise<void> {
    return this.#get(id).restart(size);
  }

  /** Ends the shell if it runs, and forgets it. */
  async close(id: string): Promise<void> {
    const terminal = this.#get(id);
    this.#live.delete(id);
    this.list.update(({ items }) => ({
      items: Object.fromEntries(Object.entries(items).filter(([known]) => known !== id)),
    }));
    await terminal[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#live.keys()].map((id) => this.close(id)));
    this.list[Symbol.dispose]();
  }

  #get(id: string): LiveTerminal {
    const terminal = this.#live.get(id);
    if (terminal === undefined) throw unknownTerminal();
    return terminal;
  }

  async #find(
    target: Target,
    signal: AbortSignal,
  ): Promise<{ readonly place: TerminalPlace; readonly first: PlaceConnection }> {
    const { clusters, sessions } = this.#options;
    if (target.kind === 'pod') {
      const { cluster, pod, namespace, container, confirmation } = target;
      const connect = async (): Promise<PlaceConnection> => ({
        kube: await clusters.kubeFor(cluster, { expected: pod, typed: confirmation }),
        target: { namespace, pod, ...(container === undefined ? {} : { container }) },
      });
      return { place: { title: pod, cluster, connect }, first: await connect() };
    }
    const { session } = target;
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(containerPatienceMs)]);
    const first = await sessions.containerOf(session, waiting, 'shell').catch((error: unknown) => {
      throw waiting.aborted && !signal.aborted ? noContainer() : error;
    });
    const place = {
      title: first.target.pod,
      cluster: first.cluster,
      session,
      connect: (stop: AbortSignal) => sessions.containerOf(session, stop, 'shell'),
    };
    return { place, first };
  }
}

function tooMany(): SlipwayError {
  return new SlipwayError({
    code: 'contract.too-much',
    message: `There are ${maximumTerminals} shells already.`,
    cause: 'Each of them keeps a connection and its latest output.',
    next: 'Close one that you no longer need.',
  });
}

function unknownTerminal(): SlipwayError {
  return new SlipwayError({
    code: 'stream.lost',
    message: 'There is no such shell any more.',
    cause: 'It was closed, or Slipway was started anew since then.',
    next: 'Open a new one.',
  });
}

function noContainer(): SlipwayError {
  return new SlipwayError({
    code: 'workload.no-running-pod',
    message: 'The session has no running container.',
    cause: `None was seen within ${containerPatienceMs / 1000} seconds.`,
    next: 'See the state of its pod on the Overview, then open the shell again.',
  });
}
