import type { Leftover } from '../../contract/leftovers.ts';
import type { Listing } from '../../contract/listing.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { Store } from '../base/store.ts';
import { clusterErrorValue } from '../kube/errors.ts';
import type { Kube } from '../kube/kube.ts';
import type { Sessions } from '../session/session.ts';
import { findReplacements } from './find-replacements.ts';
import type { FoundLeftover } from './found-leftover.ts';
import { failedListing, foundIn, listingOf, type Look } from './leftover-listing.ts';

/** How often a list that somebody watches is looked at again. */
const lookAgainMs = 30_000;

/** The sessions that this process runs itself: they are not left over. */
export interface OwnSessions {
  readonly value: ReadonlySet<string>;
  readonly onChange: Event<void>;
}

export interface ClusterLeftoversOptions {
  readonly connect: () => Promise<Kube>;
  readonly sessions: (kube: Kube) => Pick<Sessions, 'leftovers'>;
  readonly own: OwnSessions;
  readonly clock: Clock;
}

/**
 * What is left over in one cluster, kept current while somebody watches. Looks go one after another; one that was asked
 * for while another is under way begins after it, so that it sees what was changed meanwhile.
 */
export class ClusterLeftovers implements Disposable {
  readonly #options: ClusterLeftoversOptions;
  readonly #store = new Store<Listing<Leftover>>({ state: 'loading', items: {} });
  readonly #ownChanges: Disposable;
  #look: Look | undefined;
  #lastLookAt: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #watchers = 0;
  #closeWatchers = 0;
  #stop: AbortController | undefined;

  constructor(options: ClusterLeftoversOptions) {
    this.#options = options;
    this.#ownChanges = options.own.onChange(() => {
      if (this.#look !== undefined) this.#show(this.#look);
    });
  }

  get value(): Listing<Leftover> {
    return this.#store.value;
  }

  get onChange(): Event<void> {
    return this.#store.onChange;
  }

  /** `closely` also finds workloads whose dev Deployment is gone, at the first look and when asked for. */
  watch({ closely }: { readonly closely: boolean }): Disposable {
    this.#watchers++;
    const first = closely && this.#closeWatchers++ === 0;
    if (this.#stop === undefined) void this.#keepLooking((this.#stop = new AbortController()).signal);
    else if (first) void this.refresh();
    let ended = false;
    return {
      [Symbol.dispose]: () => {
        if (ended) return;
        ended = true;
        if (closely) this.#closeWatchers--;
        if (--this.#watchers > 0) return;
        this.#stop?.abort();
        this.#stop = undefined;
      },
    };
  }

  /** Looks closely once more, and shows also when that fails. Those who ask at the same time share one look. */
  refresh(): Promise<void> {
    this.#waiting ??= this.#enqueue(async () => {
      this.#waiting = undefined;
      await this.#lookOnce(true);
    });
    return this.#waiting;
  }

  /** What is there now; rejects when that cannot be read. */
  async found(signal?: AbortSignal): Promise<ReadonlyMap<string, FoundLeftover>> {
    const look = await this.#enqueue(async () => {
      const seen = await this.#read(true, signal);
      this.#seen(seen);
      return seen;
    });
    return foundIn(look, this.#options.own.value);
  }

  [Symbol.dispose](): void {
    this.#stop?.abort();
    this.#ownChanges[Symbol.dispose]();
    this.#store[Symbol.dispose]();
  }

  async #keepLooking(signal: AbortSignal): Promise<void> {
    let closely = this.#closeWatchers > 0;
    try {
      while (!signal.aborted) {
        await this.#enqueue(() => this.#lookOnce(closely, signal));
        closely = false;
        await this.#options.clock.sleep(lookAgainMs, signal);
      }
    } catch (error) {
      if (!signal.aborted && !isCancellation(error)) throw error;
    }
  }

  async #lookOnce(closely: boolean, signal?: AbortSignal): Promise<void> {
    try {
      this.#seen(await this.#read(closely, signal));
    } catch (error) {
      if (isCancellation(error) || signal?.aborted === true) return;
      this.#store.update((before) => failedListing(before, clusterErrorValue(error), this.#lastLookAt));
    }
  }

  async #read(closely: boolean, signal?: AbortSignal): Promise<Look> {
    const kube = await this.#options.connect();
    const bound = signal === undefined ? {} : { signal };
    const sessions = await this.#options.sessions(kube).leftovers(bound);
    const known = this.#look?.replacements.items.filter((item) => item.devObject === undefined) ?? [];
    const replacements = await findReplacements(kube, {
      namespaces: sessions.namespaces,
      scaledDown: closely ? 'everything' : known,
      signal,
    });
    return { sessions, replacements };
  }

  #seen(look: Look): void {
    this.#show(look);
    this.#look = look;
    this.#lastLookAt = new Date(this.#options.clock.now()).toISOString();
  }

  #show(look: Look): void {
    this.#store.update((before) => listingOf(look, this.#options.own.value, before));
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
