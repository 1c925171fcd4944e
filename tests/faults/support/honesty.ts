import type { SessionEvent } from '../../../contract/session-events.ts';
import type { RunningSlipway } from '../../support/slipway.ts';
import { differences, type TreeModel } from './tree-model.ts';
import { allowed } from './criterion.ts';

export interface TimedState {
  readonly at: number;
  readonly state: string;
  readonly message: string;
}

const lookMs = 10;
/** For so long may "in sync" be said although something differs: that is how long a dead connection may go unnoticed. */
const patienceMs = 6_000;

/** Stamps what a sync says of itself with the time, and catches it saying "in sync" when it is not (G5). */
export class Honesty implements Disposable {
  readonly states: TimedState[] = [];
  readonly lies: string[] = [];
  readonly #sync: RunningSlipway;
  readonly #timer: NodeJS.Timeout;
  readonly #trees: readonly [TreeModel, TreeModel];
  readonly #everyMs: number;
  readonly #differing = new Map<string, number>();
  #taken = 0;
  #compared = 0;

  constructor(sync: RunningSlipway, trees: readonly [TreeModel, TreeModel], everyMs = 500) {
    this.#sync = sync;
    this.#trees = trees;
    this.#everyMs = everyMs;
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  get current(): TimedState | undefined {
    this.#take();
    return this.states.at(-1);
  }

  get saysInSync(): boolean {
    return this.current?.message.startsWith('in sync') === true;
  }

  /** The first state from `since` on that passes. */
  find(since: number, test: (state: TimedState) => boolean): TimedState | undefined {
    this.#take();
    return this.states.find((state) => state.at >= since && test(state));
  }

  #take(): void {
    const { events } = this.#sync;
    for (; this.#taken < events.length; this.#taken++) {
      const event: SessionEvent | undefined = events[this.#taken];
      if (event?.event !== 'health' || !event.service.startsWith('sync')) continue;
      this.states.push({ at: Date.now(), state: event.state, message: event.message });
    }
  }

  #look(): void {
    this.#take();
    if (!this.saysInSync) {
      this.#differing.clear();
      return;
    }
    if (Date.now() - this.#compared < this.#everyMs || this.current?.message !== 'in sync') return;
    this.#compared = Date.now();
    const [local, remote] = this.#trees;
    let lines: string[];
    try {
      lines = differences(local.read(), remote.read());
    } catch {
      return; // The container is being replaced.
    }
    for (const line of [...this.#differing.keys()]) if (!lines.includes(line)) this.#differing.delete(line);
    for (const line of lines) {
      const since = this.#differing.get(line) ?? Date.now();
      this.#differing.set(line, since);
      if (Date.now() - since > allowed(patienceMs)) {
        this.lies.push(`"in sync" for ${Date.now() - since} ms although ${line}`);
        this.#differing.delete(line);
      }
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
