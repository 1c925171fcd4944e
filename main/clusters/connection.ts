import type { Connection } from '../../contract/clusters.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation, isSlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import { clusterErrorValue, printable } from '../kube/errors.ts';
import type { Kube } from '../kube/kube.ts';

/** How often a connection that works is looked at again. */
export const recheckMs = 30_000;
const retryMs = { first: 2_000, most: 30_000 } as const;

export interface ConnectionOptions {
  /** Asked before each attempt. */
  readonly kube: () => Promise<Kube>;
  readonly clock: Clock;
  /** Between 0 and 1; `Math.random` unless said otherwise. */
  readonly random?: (() => number) | undefined;
}

/** Whether a cluster answers, and as whom; kept current until disposed. */
export interface ConnectionWatch extends AsyncDisposable {
  readonly store: Store<Connection>;
  /** Tries now. With `anew`, what is known is not believed any more. */
  retry(options?: { readonly anew?: boolean }): void;
}

/**
 * Connects, asks who the user is, and looks again now and then. After a failure it tries again by itself with
 * growing pauses, unless only the user can help: then it waits for a retry, so that no sign-in program is started
 * over and over.
 */
export function watchConnection(options: ConnectionOptions): ConnectionWatch {
  const store = new Store<Connection>({ state: 'connecting' });
  const ended = new AbortController();
  let wake = new AbortController();
  const running = run(options, store, ended.signal, () => (wake = new AbortController()).signal);
  return {
    store,
    retry({ anew = false } = {}) {
      if (anew || store.value.state === 'failed') store.set({ state: 'connecting' });
      wake.abort();
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await running;
      store[Symbol.dispose]();
    },
  };
}

async function run(
  { kube, clock, random = Math.random }: ConnectionOptions,
  store: Store<Connection>,
  ended: AbortSignal,
  nextWake: () => AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!ended.aborted) {
    const wake = nextWake();
    let pause: number | undefined = recheckMs;
    try {
      const connected = await look(await kube(), store.value, ended);
      if (ended.aborted) return;
      store.set(connected);
      failures = 0;
    } catch (error) {
      if (ended.aborted) return;
      // A connection that is replaced cancels what ran on it: the next attempt is on the new one.
      const value = isCancellation(error) ? undefined : clusterErrorValue(error);
      if (value !== undefined && !isSame(store.value.error, value))
        store.set({ state: 'failed', error: value });
      pause = value !== undefined && needsUser(value) ? undefined : pauseAfter(failures, random);
      failures += 1;
    }
    await rest(clock, pause, AbortSignal.any([ended, wake]));
  }
}

/** One look: the version says whether the server answers; the user is asked for once. */
async function look(kube: Kube, known: Connection, signal: AbortSignal): Promise<Connection> {
  const answer = await orUndefined(kube.version({ signal }), 'cluster.forbidden');
  const version = answer === undefined ? undefined : printable(answer.gitVersion).slice(0, 100);
  if (known.state === 'connected') return known.version === version ? known : { ...known, version };
  // Servers before 1.28 do not know the question.
  const identity = await orUndefined(kube.whoAmI({ signal }), 'cluster.forbidden', 'cluster.not-found');
  return {
    state: 'connected',
    ...(version === undefined ? {} : { version }),
    ...(identity === undefined ? {} : { user: identity.username.slice(0, 500) }),
  };
}

async function orUndefined<T>(
  answer: Promise<T>,
  ...codes: readonly ErrorValue['code'][]
): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isSlipwayError(error, ...codes)) return undefined;
    throw error;
  }
}

/** What only the user can mend: trying again by itself would run their sign-in program each time. */
function needsUser({ code }: ErrorValue): boolean {
  return /^(credential|consent|kubeconfig)\./.test(code) || code === 'cluster.unknown';
}

function pauseAfter(failures: number, random: () => number): number {
  return Math.min(retryMs.most, retryMs.first * 2 ** Math.min(failures, 10)) * (0.5 + random() / 2);
}

async function rest(clock: Clock, milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
  if (milliseconds !== undefined) return clock.sleep(milliseconds, signal).catch(() => undefined);
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function isSame(a: ErrorValue | undefined, b: ErrorValue): boolean {
  return a?.code === b.code && a.message === b.message && a.cause === b.cause;
}
