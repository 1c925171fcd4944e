import type { Clock } from '../base/clock.ts';
import type { Kube } from '../kube/kube.ts';
import type { SessionKnowledge } from './dependencies.ts';

/** The server is asked for its time again after so long. */
const refreshMs = 60_000;

/** The server's clock between two looks at it, carried on by this machine's monotonic one. */
export class ServerClock {
  readonly #kube: Kube;
  readonly #clock: Clock;
  readonly #session: Pick<SessionKnowledge, 'serverTime'>;
  #seen: { readonly server: number; readonly at: number } | undefined;
  #asking: Promise<void> | undefined;

  constructor(kube: Kube, clock: Clock, session: Pick<SessionKnowledge, 'serverTime'>) {
    this.#kube = kube;
    this.#clock = clock;
    this.#session = session;
  }

  /** Undefined as long as the server did not say. */
  now(): number | undefined {
    if (this.#seen === undefined) return undefined;
    return this.#seen.server + (this.#clock.monotonic() - this.#seen.at);
  }

  /** Asks the server when that is due; resolves when it is known as well as can be. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (this.#seen !== undefined && this.#clock.monotonic() - this.#seen.at < refreshMs) return;
    this.#asking ??= this.#ask(signal).finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const server = await this.#session.serverTime(this.#kube, { signal });
    if (server !== undefined) this.#seen = { server, at: this.#clock.monotonic() };
  }
}
